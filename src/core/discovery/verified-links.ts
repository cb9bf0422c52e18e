import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { decodeHtml } from "../../lib/http/charset.ts";
import { readHtmlHead } from "../../lib/http/html-head.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { OutboundError } from "../../lib/http/outbound.ts";
import type { StoredField } from "../accounts.ts";
import { isOwnHost } from "../addresses.ts";

/*
 * A link in a local profile is verified if its page links back to the profile with rel="me". Other servers check the links
 * of their own users.
 */

/** Like a preview card, reads only the beginning of a page. */
const PAGE = {
  accept: ["text/html", "application/xhtml+xml"],
  maxBytes: 1024 * 1024,
  truncate: true,
  timeout: 10_000,
  redirects: 5,
};
const MAX_URL = 2048;
/** The links of a profile are checked at most once within this time, however often it is changed. */
const PAUSE = 30_000;

/** The address of the page that a field consists of; null for any other text, and for pages of this server. */
function linkIn(ctx: Context, { value }: Pick<StoredField, "value">): string | null {
  const url = /^https?:\/\/\S+$/i.test(value) && value.length <= MAX_URL ? URL.parse(value) : null;
  return url && !isOwnHost(ctx, url.host) ? url.href : null;
}

/** Enqueues the check of a profile's links, if it has any. */
export function verifyLinksLater(ctx: Context, tx: Tx, accountId: number, fields: readonly StoredField[]): void {
  const link = fields.map((field) => linkIn(ctx, field)).find((url) => url !== null);
  if (!link) return;
  const runAt = (Math.floor(ctx.clock.now() / PAUSE) + 1) * PAUSE;
  const key = `links.verify ${accountId} ${runAt}`;
  enqueue(ctx, tx, "links.verify", { accountId }, { runAt, key, host: siteOf(link) });
}

interface Profile {
  id: number;
  fields: string;
  url: string;
  uri: string;
}

const DAY = 24 * 3600_000;
const WITH_LINKS = `
  SELECT a.id, a.fields FROM users u CROSS JOIN accounts a ON a.id = u.account_id
  WHERE u.account_id % 7 = +$weekday AND a.suspended_at IS NULL`;

/** Enqueues the checks of a seventh of the users: each has a day of the week. */
export function verifyLinksOfDay(ctx: Context, tx: Tx): void {
  const weekday = Math.floor(ctx.clock.now() / DAY) % 7;
  const profiles = tx.all<Pick<Profile, "id" | "fields">>(WITH_LINKS, { weekday });
  for (const profile of profiles) verifyLinksLater(ctx, tx, profile.id, fieldsOf(profile));
}

/** Fetches the pages of a profile's links, and stores which of them link back. */
export async function verifyLinks(ctx: Context, accountId: number): Promise<void> {
  const profile = profileOf(ctx.db, accountId);
  if (!profile) return;
  const own = new Set([profile.url, profile.uri].map(comparable));
  const results = new Map<string, boolean>();
  for (const { value } of fieldsOf(profile)) {
    const url = linkIn(ctx, { value });
    const result = url === null ? false : await linksBack(ctx, url, own);
    if (result !== null) results.set(value, result);
  }
  ctx.db.transaction((tx) => storeResults(ctx, tx, accountId, results));
}

function profileOf(db: Reads, accountId: number): Profile | null {
  return db.get<Profile>(
    "SELECT id, fields, url, uri FROM accounts WHERE id = +$accountId AND domain IS NULL AND suspended_at IS NULL",
    { accountId },
  );
}

function fieldsOf({ fields }: Pick<Profile, "fields">): StoredField[] {
  return JSON.parse(fields) as StoredField[];
}

/** The fields may have changed meanwhile: a result is about a value, and a missing one changes nothing. */
function storeResults(ctx: Context, tx: Tx, accountId: number, results: ReadonlyMap<string, boolean>): void {
  const profile = profileOf(tx, accountId);
  if (!profile) return;
  const fields = fieldsOf(profile).map((field) => {
    const result = results.get(field.value);
    if (result === undefined) return field;
    return { ...field, verified_at: result ? (field.verified_at ?? ctx.clock.now()) : null };
  });
  const changed = JSON.stringify(fields);
  if (changed === profile.fields) return;
  tx.run("UPDATE accounts SET fields = $changed WHERE id = +$accountId", { changed, accountId });
}

/** Null if that can't be said, since the page could not be read now. */
async function linksBack(ctx: Context, url: string, own: ReadonlySet<string>): Promise<boolean | null> {
  try {
    const response = await ctx.fetchOutside(url, PAGE);
    const { meLinks } = await readHtmlHead(decodeHtml(response.body, response.headers.get("content-type") ?? ""));
    return meLinks.some((href) => own.has(comparable(URL.parse(href, response.url)?.href ?? "")));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.debug("a link of a profile was not checked: {reason}", { reason: error.message });
    return error.status !== null && error.status < 500 ? false : null;
  }
}

/** Sites write the address of a profile with other letters, or with a slash at its end. */
function comparable(address: string): string {
  return address.toLowerCase().replace(/\/$/, "");
}
