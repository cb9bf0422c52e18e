import { parseDomain } from "../../lib/text/domains.ts";
import { addressOf, hasType, idOf, idsOf, isJson, listOf, objectsOf, pastDateOf, stringOf, type Json } from "./json.ts";
import { keyIdsOf, keysOf, type PublicKey } from "./keys.ts";
import { pageUrlOf, pictureOf } from "./links.ts";
import { emojisOf, type RemoteEmoji } from "./tags.ts";
import { descriptionOf, htmlOf, nameOf, translationOf } from "./text.ts";

const TYPES = ["Person", "Service", "Group", "Organization", "Application"] as const;

export interface RemoteActor {
  uri: string;
  /** Its page, or its URI. Always on the host of the URI, or on "www." of it, because users paste it to find the account. */
  url: string;
  type: (typeof TYPES)[number];
  username: string;
  displayName: string;
  noteHtml: string;
  fields: { name: string; valueHtml: string }[];
  /** Follow requests need approval. */
  locked: boolean;
  discoverable: boolean;
  indexable: boolean;
  memorial: boolean;
  avatarUrl: string | null;
  avatarDescription: string;
  headerUrl: string | null;
  headerDescription: string;
  inbox: string;
  sharedInbox: string | null;
  outbox: string | null;
  followers: string | null;
  following: string | null;
  featured: string | null;
  featuredTags: string | null;
  /** The embedded keys. */
  publicKeys: PublicKey[];
  /** The ids of all keys, embedded or not. */
  keyIds: string[];
  alsoKnownAs: string[];
  movedTo: string | null;
  /** When the account was created; null if its server doesn't say. Never in the future. */
  published: number | null;
  emojis: RemoteEmoji[];
  attributionDomains: string[];
}

const MAX_NOTE_LENGTH = 100_000;
const MAX_ALIASES = 100;

/** Whether a document is an account, rather than a status. */
export function isActor(json: Json): boolean {
  return TYPES.some((each) => hasType(json, each));
}

/** Reads an account. Null if it is none, or lacks an id, an inbox or a username that Mastodon accepts. */
export function readActor(json: Json, now: number): RemoteActor | null {
  const uri = idOf(json);
  const type = TYPES.find((each) => hasType(json, each));
  const username = usernameOf(json.preferredUsername);
  const inbox = addressOf(json.inbox);
  if (uri === null || type === undefined || username === null || inbox === null) return null;
  const avatar = pictureOf(json.icon);
  const header = pictureOf(json.image);
  return {
    uri,
    url: profileUrl(json.url, uri),
    type,
    username,
    displayName: nameOf(translationOf(json, "name").text),
    noteHtml: htmlOf(translationOf(json, "summary").text, MAX_NOTE_LENGTH),
    fields: fieldsOf(json),
    locked: json.manuallyApprovesFollowers === true,
    discoverable: json.discoverable === true,
    indexable: json.indexable === true,
    memorial: json.memorial === true,
    avatarUrl: avatar?.href ?? null,
    avatarDescription: descriptionOf(avatar?.source ?? {}),
    headerUrl: header?.href ?? null,
    headerDescription: descriptionOf(header?.source ?? {}),
    inbox,
    sharedInbox: sharedInboxOf(json),
    outbox: idOf(json.outbox),
    followers: idOf(json.followers),
    following: idOf(json.following),
    featured: idOf(json.featured),
    featuredTags: idOf(json.featuredTags),
    publicKeys: keysOf(json),
    keyIds: keyIdsOf(json),
    alsoKnownAs: idsOf(json.alsoKnownAs, MAX_ALIASES),
    movedTo: idOf(json.movedTo),
    published: pastDateOf(json.published, now),
    emojis: emojisOf(json),
    attributionDomains: domainsOf(json.attributionDomains),
  };
}

const MAX_USERNAME_LENGTH = 100;

function usernameOf(value: unknown): string | null {
  const name = stringOf(value, MAX_USERNAME_LENGTH + 1);
  return isUsername(name) ? name : null;
}

/** Whether Mastodon accepts a username of another server. */
export function isUsername(name: string): boolean {
  return name.length <= MAX_USERNAME_LENGTH && /^\w+(?:[.-]+\w+)*$/.test(name);
}

function profileUrl(value: unknown, uri: string): string {
  const url = pageUrlOf(value);
  return url !== null && siteOf(url) === siteOf(uri) ? url : uri;
}

/** The host. Threads has its pages at "www.threads.net" and its URIs at "threads.net". */
function siteOf(address: string): string {
  return new URL(address).host.replace(/^www\./, "");
}

const MAX_FIELDS = 50;
const MAX_VALUE_LENGTH = 10_000;

function fieldsOf(json: Json): RemoteActor["fields"] {
  return objectsOf(json.attachment)
    .filter((field) => hasType(field, "PropertyValue"))
    .slice(0, MAX_FIELDS)
    .map((field) => ({ name: nameOf(field.name), valueHtml: htmlOf(field.value, MAX_VALUE_LENGTH) }))
    .filter(({ name, valueHtml }) => name !== "" || valueHtml !== "");
}

/** Misskey also sends it outside `endpoints`, as others did before ActivityPub was final. */
function sharedInboxOf(json: Json): string | null {
  return addressOf(isJson(json.endpoints) ? json.endpoints.sharedInbox : null) ?? addressOf(json.sharedInbox);
}

const MAX_DOMAINS = 100;

function domainsOf(value: unknown): string[] {
  return listOf(value)
    .slice(0, MAX_DOMAINS)
    .flatMap((domain) => parseDomain(stringOf(domain, 300)) ?? []);
}
