import type { Archive } from "../../lib/archives/archive.ts";
import { badArchive, damaged } from "../../lib/archives/bounds.ts";
import { jsonItems } from "../../lib/archives/json-items.ts";
import type { ArchiveItem } from "./items.ts";
import { readOwner, UNKNOWN_OWNER, type ArchiveOwner } from "./owner.ts";
import { readAddress, readOutboxItem } from "./read-outbox.ts";
import { readPixelfedStatus } from "./read-pixelfed.ts";
import { readProtection, readTweet } from "./read-tweets.ts";

/** The posts of an archive, in whichever format it is. */
export interface PostSource {
  /** The folder in the archive to which the names of files are relative: empty, or with a slash at its end. */
  folder: string;
  owner: ArchiveOwner;
  /** Whether only followers could see the account when the archive was written. */
  isProtected: boolean;
  /** Reads all posts and boosts again, without holding more than one. */
  items(): AsyncGenerator<ArchiveItem>;
  /** The addresses in a list of the archive; none if it has no such list. */
  addresses(list: "likes" | "bookmarks"): AsyncGenerator<string>;
}

const OUTBOX = /^(?:[^/]+\/)?outbox\.json$/;
const TWEETS = /^(?:[^/]+\/)?data\/tweets?(?:-part\d+)?\.js$/;
const PIXELFED = /^(?:[^/]+\/)?pixelfed-statuses\.json$/;

/**
 * Finds the posts of an archive.
 *
 * @throws Refusal if it has none in a known format
 */
export async function openSource(archive: Archive, now: number): Promise<PostSource> {
  const names = [...archive.files.keys()];
  const outbox = names.find((name) => OUTBOX.test(name));
  if (outbox !== undefined) return outboxSource(archive, outbox, now);
  const tweets = names.filter((name) => TWEETS.test(name)).toSorted();
  if (tweets[0] !== undefined) return tweetSource(archive, tweets, folderOf(tweets[0]), now);
  const statuses = names.find((name) => PIXELFED.test(name));
  if (statuses !== undefined) return pixelfedSource(archive, statuses, now);
  throw badArchive(
    "The archive contains no posts: it has neither outbox.json, data/tweets.js nor pixelfed-statuses.json.",
  );
}

async function outboxSource(archive: Archive, name: string, now: number): Promise<PostSource> {
  const folder = folderOf(name);
  const owner = archive.files.has(`${folder}actor.json`)
    ? readOwner(await smallDocument(archive, `${folder}actor.json`), now)
    : UNKNOWN_OWNER;
  return {
    folder,
    owner,
    isProtected: false,
    items: async function* () {
      for await (const item of jsonItems(archive.document(name), "orderedItems"))
        yield readOutboxItem(item, owner, now);
    },
    addresses: async function* (list) {
      if (!archive.files.has(`${folder}${list}.json`)) return;
      for await (const item of jsonItems(archive.document(`${folder}${list}.json`), "orderedItems")) {
        const address = readAddress(item);
        if (address !== null) yield address;
      }
    },
  };
}

async function tweetSource(
  archive: Archive,
  names: readonly string[],
  folder: string,
  now: number,
): Promise<PostSource> {
  return {
    folder: "",
    owner: UNKNOWN_OWNER,
    isProtected: await isProtected(archive, `${folder}protected-history.js`),
    items: async function* () {
      for (const name of names) {
        for await (const item of jsonItems(archive.document(name), "")) yield readTweet(item, folder, now);
      }
    },
    addresses: none,
  };
}

/** Twitter lists when the account was protected, and when no longer, in the last six months. */
async function isProtected(archive: Archive, history: string): Promise<boolean> {
  if (!archive.files.has(history)) return false;
  let latest = { at: 0, isProtected: false };
  for await (const item of jsonItems(archive.document(history), "")) {
    const change = readProtection(item);
    if (change && change.at >= latest.at) latest = change;
  }
  return latest.isProtected;
}

function pixelfedSource(archive: Archive, name: string, now: number): PostSource {
  return {
    folder: folderOf(name),
    owner: UNKNOWN_OWNER,
    isProtected: false,
    items: async function* () {
      for await (const item of jsonItems(archive.document(name), "")) yield readPixelfedStatus(item, now);
    },
    addresses: none,
  };
}

async function* none(): AsyncGenerator<string> {}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/") + 1);
}

const MAX_DOCUMENT = 1024 * 1024;

async function smallDocument(archive: Archive, name: string): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of archive.document(name)) {
    size += part.length;
    if (size > MAX_DOCUMENT) throw damaged();
    parts.push(part.slice());
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw damaged();
  }
}
