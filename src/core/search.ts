import type { Context } from "../context.ts";
import type { Page } from "../db/keyset.ts";
import { idAt } from "../lib/ids.ts";
import { dayOf, parseSearch, type Term } from "../lib/search-query.ts";
import { phraseQuery } from "../lib/search-words.ts";
import { lookupAccount } from "./accounts.ts";
import { authorMark, languageMark, partMark } from "./search-index.ts";
import { visibleTo, wantedBy } from "./visibility.ts";

const HIGHEST = Number.MAX_SAFE_INTEGER;

const SEARCH = `
  SELECT s.id FROM status_search f CROSS JOIN statuses s ON s.id = f.rowid
  WHERE status_search MATCH ?1 AND f.rowid > ?2 AND f.rowid < ?3
    AND ${visibleTo("?4")} AND ${wantedBy("?4", "?5")}
  ORDER BY f.rowid DESC LIMIT ?6 OFFSET ?7`;

/**
 * Statuses that hold every word, newest first: those that the viewer has a part in and, where the owner has said so
 * (LINNET_SEARCH=public), public ones by people who want to be found. Nothing for strangers, as with Mastodon.
 */
export function searchStatuses(
  ctx: Context,
  viewerId: number,
  search: { q: string; accountId: number | null; page: Page; offset: number },
): number[] {
  if (viewerId === 0) return [];
  const terms = parseSearch(search.q);
  const query = matchOf(ctx, viewerId, terms, search.accountId);
  if (query === null) return [];
  const { lowest, highest } = boundsOf(terms, search.page);
  return ctx.db
    .all<{ id: number }>(SEARCH, query, lowest, highest, viewerId, ctx.clock.now(), search.page.limit, search.offset)
    .map(({ id }) => id);
}

/** One expression of FTS5's language for a whole search; null for one that nothing can match. */
function matchOf(ctx: Context, viewerId: number, terms: readonly Term[], accountId: number | null): string | null {
  const wanted: string[] = [`marks : ${scopeOf(ctx, viewerId, terms)}`];
  const unwanted: string[] = [];
  if (accountId !== null) wanted.push(`marks : ${authorMark(accountId)}`);
  for (const term of terms) {
    const expression = expressionOf(ctx, viewerId, term);
    if (expression === undefined) continue;
    if (expression !== null) (term.negated ? unwanted : wanted).push(expression);
    else if (!term.negated) return null;
  }
  if (wanted.length === 1 && unwanted.length === 0 && accountId === null) return null;
  const all = wanted.map((part) => `(${part})`).join(" AND ");
  return unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.map((part) => `(${part})`).join(" OR ")})`;
}

/** Undefined for a term that says nothing here, null for one that nothing matches. */
function expressionOf(ctx: Context, viewerId: number, term: Term): string | null | undefined {
  switch (term.kind) {
    case "text": {
      const phrase = phraseQuery(term.value);
      return phrase === null ? undefined : `words : ${phrase}`;
    }
    case "from": {
      const account = term.value.toLowerCase() === "me" ? viewerId : lookupAccount(ctx, term.value)?.id;
      return account === undefined ? null : `marks : ${authorMark(account)}`;
    }
    case "has":
      return markOf("has", term.value, { media: "media", image: "media", poll: "poll", link: "link" });
    case "is":
      return markOf("is", term.value, { reply: "reply", sensitive: "sensitive" });
    case "language":
      return /^[a-z]{2,3}(-\w+)?$/i.test(term.value) ? `marks : ${languageMark(term.value)}` : null;
    default:
      return undefined;
  }
}

function markOf(prefix: string, value: string, known: Record<string, string>): string | null {
  const name = value.toLowerCase();
  return Object.hasOwn(known, name) ? `marks : ${prefix}${known[name]}` : null;
}

/** Whose statuses are looked through. `in:library` leaves out what is only public. */
function scopeOf(ctx: Context, viewerId: number, terms: readonly Term[]): string {
  const library = partMark(viewerId);
  const wish = terms.find((term) => term.kind === "in")?.value.toLowerCase();
  if (ctx.config.searchPublic && wish === "public") return "public";
  return ctx.config.searchPublic && wish !== "library" ? `(${library} OR public)` : library;
}

/** Days and cursors are both bounds of the id, since ids are times. */
function boundsOf(terms: readonly Term[], page: Page): { lowest: number; highest: number } {
  let lowest = Math.max(page.min_id ?? 0, page.since_id ?? 0);
  let highest = page.max_id ?? HIGHEST;
  for (const { kind, value } of terms) {
    const day = kind === "before" || kind === "after" || kind === "during" ? dayOf(value) : null;
    if (!day) continue;
    if (kind === "before") highest = Math.min(highest, idAt(day.from));
    if (kind === "after") lowest = Math.max(lowest, idAt(day.to) - 1);
    if (kind !== "during") continue;
    lowest = Math.max(lowest, idAt(day.from) - 1);
    highest = Math.min(highest, idAt(day.to));
  }
  return { lowest, highest };
}

const TAGS = `
  SELECT id FROM tags WHERE name >= ?1 AND name < ?1 || char(1114111)
  ORDER BY name = ?1 DESC, (SELECT count(*) FROM (SELECT 1 FROM status_tags WHERE tag_id = tags.id LIMIT 1000)) DESC, name
  LIMIT ?2 OFFSET ?3`;

/** Hashtags that begin so, the exact one first and then those that are used most. */
export function searchTags(ctx: Context, name: string, limit: number, offset: number): number[] {
  if (name === "") return [];
  return ctx.db.all<{ id: number }>(TAGS, name, limit, offset).map(({ id }) => id);
}
