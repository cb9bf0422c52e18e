import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import { type ContentType, type ParsedText, parseText } from "../../lib/text/formats.ts";
import { findHashtags, findMentions, replaceMentions, type RenderOptions } from "../../lib/text/text.ts";
import { stackOf } from "../../lib/log.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import type { Handle } from "../../lib/text/mentions.ts";
import { IS_APPROVED } from "../accounts.ts";
import { remoteDomain, tagUrl } from "../addresses.ts";
import { linksIn } from "../discovery/links.ts";
import type { TagName } from "../discovery/tags.ts";

/** A rendered text: HTML, mentions, hashtags and links. */
export interface Composed {
  content: string;
  /** Account ids. */
  mentions: number[];
  tags: TagName[];
  /** The URLs of other sites, as written. */
  links: string[];
}

interface RemoteHandle {
  username: string;
  domain: string;
}

interface Mentioned {
  id: number;
  username: string;
  domain: string | null;
  url: string;
}

/** Renders a text. Only accounts that are known here become mentions. */
export function compose(ctx: Context, text: string, contentType: ContentType): Composed {
  const parsed = parseText(text, contentType);
  return composed(ctx, parsed, knownMentions(ctx, parsed.words));
}

/** The same for several plain texts, with one query for all mentions. */
export function composeAll(ctx: Context, texts: readonly string[]): Composed[] {
  const known = knownMentions(ctx, ...texts);
  return texts.map((text) => composed(ctx, parseText(text, "text/plain"), known));
}

function composed(ctx: Context, { words, render }: ParsedText, known: Map<string, Mentioned>): Composed {
  const mentions = new Set<number>();
  const { tagUrl } = renderOptions(ctx, known);
  const mentionUrl = ({ username, domain }: Handle) => {
    const account = known.get(key(ctx, username, domain));
    if (account) mentions.add(account.id);
    return account ?? null;
  };
  const tags = findHashtags(words).map((written) => ({ name: normaliseHashtag(written), written }));
  const content = render({ mentionUrl, tagUrl });
  return { content, mentions: [...mentions], tags, links: linksIn(ctx, content) };
}

const ARE_HERE = `
  SELECT count(*) AS count FROM json_each($ids) j JOIN accounts a ON a.id = j.value
  WHERE ${IS_APPROVED} AND a.suspended_at IS NULL`;

/**
 * The same text as rendered before. If an account that it mentions has been deleted or suspended, renders it again
 * without that mention. Accounts that have appeared meanwhile are not mentioned: nobody checked them.
 */
export function recompose(ctx: Context, text: string, contentType: ContentType, before: Composed): Composed {
  const { mentions } = before;
  if (mentions.length === 0) return before;
  const { count } = ctx.db.get<{ count: number }>(ARE_HERE, { ids: idList(mentions) })!;
  if (count === mentions.length) return before;
  const parsed = parseText(text, contentType);
  const known = [...knownMentions(ctx, parsed.words)].filter(([, { id }]) => mentions.includes(id));
  return composed(ctx, parsed, new Map(known));
}

/** How many unknown accounts of a text are asked for, and for how long in total, in milliseconds. */
const MAX_UNKNOWN = 20;
const PATIENCE = 5000;

/**
 * Asks other servers for the unknown accounts that a text mentions, all at once. Call it before the text is checked and
 * rendered: accounts whose server doesn't respond in time stay text. Returns the text with the handles that the servers
 * prefer, as Mastodon does: `@bob@www.example` may be `@bob@example`. The source is searched in any format, so a mention
 * in code is asked for, too.
 */
export async function resolveMentions(ctx: Context, text: string, patience = PATIENCE): Promise<string> {
  const unknown = unknownMentions(ctx, text);
  if (unknown.length === 0) return text;
  const found = new Map<string, RemoteHandle>();
  const asked = unknown.map(async (handle) => {
    try {
      const id = await ctx.remote.account(handle);
      const preferred = id === null ? null : ctx.db.get<RemoteHandle>(HANDLE, { id });
      if (preferred) found.set(key(ctx, handle.username, handle.domain), preferred);
    } catch (error) {
      ctx.log.warn("the mentioned account {handle} can't be fetched: {error}", {
        handle: `@${handle.username}@${handle.domain}`,
        error: stackOf(error),
      });
    }
  });
  await Promise.race([Promise.all(asked), Bun.sleep(patience)]);
  return replaceMentions(text, (written) => {
    const handle = key(ctx, written.username, written.domain);
    const preferred = found.get(handle);
    if (!preferred || key(ctx, preferred.username, preferred.domain) === handle) return null;
    return `${preferred.username}@${preferred.domain}`;
  });
}

const HANDLE = "SELECT username, coalesce(domain, '') AS domain FROM accounts WHERE id = +$id AND domain IS NOT NULL";

function unknownMentions(ctx: Context, text: string): RemoteHandle[] {
  const known = knownMentions(ctx, text);
  const unknown = new Map<string, RemoteHandle>();
  for (const { username, domain: written } of mentionsIn(text)) {
    const handle = key(ctx, username, written);
    const domain = remoteDomain(ctx, written);
    if (domain !== null && !known.has(handle)) unknown.set(handle, { username, domain });
  }
  return [...unknown.values()].slice(0, MAX_UNKNOWN);
}

function mentionsIn(text: string): Handle[] {
  return text.includes("@") ? findMentions(text) : [];
}

/** The URLs for mentions and hashtags in rendered texts. */
export function renderOptions(ctx: Context, known: Map<string, Mentioned>): RenderOptions {
  return {
    mentionUrl: ({ username, domain }) => known.get(key(ctx, username, domain)) ?? null,
    tagUrl: (name) => tagUrl(ctx, normaliseHashtag(name)),
  };
}

/** The known accounts that the texts mention, by `key()`. */
export function knownMentions(ctx: Context, ...texts: string[]): Map<string, Mentioned> {
  const handles = texts.flatMap(mentionsIn).map(({ username, domain }) => key(ctx, username, domain));
  if (handles.length === 0) return new Map();
  const accounts = ctx.db.all<Mentioned>(
    `SELECT a.id, a.username, a.domain, a.url
     FROM json_each($handles) j
     JOIN accounts a ON lower(a.username) = j.value ->> 0 AND coalesce(a.domain, '') = j.value ->> 1
     WHERE ${IS_APPROVED} AND a.suspended_at IS NULL`,
    { handles: JSON.stringify(handles.map((handle) => handle.split("@"))) },
  );
  return new Map(accounts.map((account) => [key(ctx, account.username, account.domain), account]));
}

/** `name@` for local accounts, however the domain is written, and `name@domain` for remote ones. */
function key(ctx: Context, username: string, domain: string | null): string {
  return `${username.toLowerCase()}@${remoteDomain(ctx, domain) ?? ""}`;
}
