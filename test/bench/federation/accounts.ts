import { Database } from "bun:sqlite";
import { generateKeyPair, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { idAt } from "../../../src/lib/ids.ts";
import type { Command } from "../../support/program.ts";
import { createDataFolder, type DataFolder } from "../data-folder.ts";
import { loopbackAddress } from "./sinks.ts";

/** Settings of the server: the other ones are on this machine. */
export const CLOSED_NETWORK = { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" };

/** How many hosts the senders are on. */
const HOSTS = 100;
const DAY = 24 * 3600_000;

/** An account of another server that the viewer follows. */
export interface Sender {
  uri: string;
  host: string;
  username: string;
  keyId: string;
  key: KeyObject;
}

export interface Neighbourhood extends DataFolder {
  senders: Sender[];
  /** The public key of each key id, in PEM. */
  publicKeys: Record<string, string>;
  /** The inboxes of the viewer's followers, each on a site of its own. */
  inboxes: string[];
}

export interface Counts {
  /** Accounts that the viewer follows. */
  senders: number;
  /** Key pairs; the senders use them in turns, since making one takes long. */
  keys: number;
  /** All accounts of other servers. */
  known: number;
  /** In the database before; none if missing. */
  statuses?: number;
  /** The servers of the senders; if missing, a hundred that can't be reached. */
  origins?: readonly string[];
}

interface KeyPair {
  publicKey: string;
  privateKey: KeyObject;
}

/**
 * Creates a data folder with `known` accounts of other servers: the viewer follows some, and is followed by one on each
 * of these ports of this machine.
 */
export async function createNeighbourhood(
  command: Command,
  folder: string,
  counts: Counts,
  ports: readonly number[],
): Promise<Neighbourhood> {
  const data = await createDataFolder(command, folder, counts.statuses ?? 0);
  const pairs = await Promise.all(Array.from({ length: counts.keys }, newKeyPair));
  const origins = counts.origins ?? Array.from({ length: HOSTS }, (_, n) => `https://mastodon${n}.example`);
  const senders = Array.from({ length: counts.senders }, (_, n) =>
    sender(n, origins[n % origins.length]!, pairs[n % pairs.length]!),
  );
  const followers = ports.map((port, n) => `http://${loopbackAddress(n)}:${port}/users/reader`);
  const db = new Database(join(folder, "linnet.db"), { strict: true });
  db.transaction(() => {
    const insert = inserts(db);
    const following = senders.map(({ uri, username, host, keyId }, n) => {
      return insert.account(n, { uri, username, host, keyId, pem: pairs[n % pairs.length]!.publicKey });
    });
    const followedBy = followers.map((uri, n) => insert.account(senders.length + n, reader(uri)));
    const others = counts.known - senders.length - followers.length;
    for (let n = counts.known - others; n < counts.known; n += 1) insert.account(n, stranger(n));
    insert.follows(following, followedBy);
  })();
  db.close();
  const publicKeys = Object.fromEntries(senders.map(({ keyId }, n) => [keyId, pairs[n % pairs.length]!.publicKey]));
  return { ...data, senders, publicKeys, inboxes: followers.map((uri) => new URL("/inbox", uri).href) };
}

async function newKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), privateKey };
}

function sender(n: number, origin: string, { privateKey }: KeyPair): Sender {
  const username = `writer${n}`;
  const uri = `${origin}/users/${username}`;
  return { uri, host: new URL(uri).host, username, keyId: `${uri}#main-key`, key: privateKey };
}

interface Profile {
  uri: string;
  username: string;
  host: string;
  keyId: string | null;
  pem: string | null;
}

function reader(uri: string): Profile {
  return { uri, username: "reader", host: new URL(uri).host, keyId: `${uri}#main-key`, pem: null };
}

function stranger(n: number): Profile {
  const host = `other${n % (10 * HOSTS)}.example`;
  return { uri: `https://${host}/users/stranger${n}`, username: `stranger${n}`, host, keyId: null, pem: null };
}

function inserts(db: Database) {
  const account = db.query(
    `INSERT INTO accounts (id, username, domain, display_name, note_html, uri, url, indexable, created_at, updated_at)
     VALUES ($id, $username, $host, $username, '<p>Writes about gardens, rivers and old machines.</p>', $uri, $url, 1, $at, $at)`,
  );
  const addresses = db.query(
    `INSERT INTO remote_accounts (account_id, inbox_url, shared_inbox_url, outbox_url, followers_url, following_url,
       featured_url, fetched_at)
     VALUES ($id, $uri || '/inbox', $sharedInbox, $uri || '/outbox', $uri || '/followers', $uri || '/following',
       $uri || '/collections/featured', $now)`,
  );
  const key = db.query("INSERT INTO remote_keys (key_id, account_id, public_key) VALUES ($keyId, $id, $pem)");
  const follow = db.query("INSERT INTO follows (account_id, target_account_id, created_at) VALUES ($from, $to, $now)");
  const now = Date.now();
  const viewer = db.query<{ id: number }, []>("SELECT a.id FROM accounts a JOIN users u ON u.account_id = a.id").get()!;
  return {
    /** Returns the id. */
    account(n: number, { uri, username, host, keyId, pem }: Profile): number {
      const at = now - ((n + 1) * DAY) / 10;
      const id = idAt(at);
      account.run({ id, username, host, uri, url: `https://${host}/@${username}`, at });
      addresses.run({ id, uri, sharedInbox: new URL("/inbox", uri).href, now });
      if (keyId !== null && pem !== null) key.run({ keyId, id, pem });
      return id;
    },
    follows(following: readonly number[], followers: readonly number[]): void {
      for (const id of following) follow.run({ from: viewer.id, to: id, now });
      for (const id of followers) follow.run({ from: id, to: viewer.id, now });
      db.run(`
        UPDATE accounts SET
          followers_count = (SELECT count(*) FROM follows WHERE target_account_id = accounts.id),
          following_count = (SELECT count(*) FROM follows WHERE account_id = accounts.id)`);
    },
  };
}
