import type { Pattern } from "../lib/text/keywords.ts";
import type { Db } from "./open.ts";
import type { customEmojis } from "./schema/index.ts";

/** A status as JSON text, in parts that make up the status, its reblogs and its quotes. */
export interface StatusText {
  accountId: number;
  reblogOfId: number | null;
  /** Null for a status without a quote. */
  quote: QuoteText | null;
  poll: PollText | null;
  /** Members in which a reblog differs from its original: ids, dates, visibility. */
  own: string;
  /** Members in which a reblog equals its original: content, language, counters. */
  shared: string;
  /** `shared` for the author, if a moderator marked their media as sensitive for all other viewers; otherwise null. */
  sharedWithAuthor: string | null;
  /** The quote policy: members of an object that also has a member for the viewer. */
  quoteApproval: string;
  /** Attachments, mentions, tags and the like. */
  rest: string;
  card: CardText | null;
  /** The folded text (`lib/text/keywords.ts`) to search for keywords. It is slow: only for viewers with filters. */
  words(): string;
}

/** A preview card as JSON text without its braces, and the parts that depend on the viewer. */
export interface CardText {
  members: string;
  /** The author's name and address, also without braces; null if there is none. */
  author: string | null;
  /** The author's account, if it confirms the attribution. */
  authorId: number | null;
  /** A local account that the page names as its author, but that does not confirm it. */
  claimedId: number | null;
}

/** A custom emoji with the names of its files. */
export type CustomEmoji = Pick<
  typeof customEmojis.$inferSelect,
  "id" | "shortcode" | "image" | "static_image" | "category" | "visible_in_picker"
>;

export interface FilterRule {
  /** Mastodon's Filter as JSON text. */
  filter: string;
  patterns: Pattern[];
  statusIds: Set<number>;
}

/** A user's filters, prepared for matching statuses. */
export interface FilterSet {
  rules: FilterRule[];
  /** When the first of them expires, in milliseconds since 1970. */
  until: number;
  /** Matches per status, dropped together with the status's text. */
  found: WeakMap<StatusText, string>;
}

/** A status's quote. Whether the quoted status is shown depends on the viewer. */
export interface QuoteText {
  state: string;
  /** Null once the quoted status is deleted. */
  quotedId: number | null;
}

/** A poll's members as JSON text, while it is open and once it has ended: vote counts may be hidden until then. */
export interface PollText {
  id: number;
  /** Milliseconds since 1970; null if it never expires. */
  expiresAt: number | null;
  open: string;
  over: string;
}

/** About 2 KiB each. */
const MAX_STATUSES = 2000;
const MAX_ACCOUNTS = 1000;
const MAX_FILTER_SETS = 1000;
/** More than are posted in one event-loop tick. */
const MAX_EXPECTED = 64;
/** Each has a few hundred emoji. */
const MAX_SERVERS = 100;

/**
 * The cache of rendered rows. Triggers record every change of a cached row, so callers need not invalidate anything. A
 * commit of another process clears the whole cache. Statuses and accounts contain nothing that depends on the viewer;
 * filters are cached separately, per user.
 */
export class Rendered {
  readonly statuses = new Map<number, StatusText>();
  readonly accounts = new Map<number, string>();
  /** By the id of their owner's account. */
  readonly filters = new Map<number, FilterSet>();
  /** By domain ("" for this server's), then by shortcode. */
  readonly emojis = new Map<string, ReadonlyMap<string, CustomEmoji>>();
  private readonly expected = new Set<number>();
  private changes = -1;
  private version = -1;

  constructor(private readonly db: Db) {
    for (const statement of TRIGGERS) db.raw.run(statement);
  }

  /** Drops changed entries. Call this before reading from the cache. */
  refresh(): void {
    const now = this.db.get<{ changes: number; version: number }>(STATE)!;
    if (now.version !== this.version) this.forgetAll();
    else if (now.changes !== this.changes) this.forgetChanged();
    else return;
    this.version = now.version;
    this.changes = this.db.get<{ changes: number }>(CHANGES)!.changes;
  }

  /** Notes a new status that will be read in a moment, so that it is rendered together with others written with it. */
  expectStatus(id: number): void {
    if (this.expected.size >= MAX_EXPECTED) this.expected.clear();
    this.expected.add(id);
  }

  /** Returns and clears the ids of expected statuses. */
  takeExpected(): number[] {
    const ids = [...this.expected];
    this.expected.clear();
    return ids;
  }

  keepStatus(id: number, text: StatusText): void {
    keep(this.statuses, id, text, MAX_STATUSES);
  }

  keepAccount(id: number, text: string): void {
    keep(this.accounts, id, text, MAX_ACCOUNTS);
  }

  keepFilters(accountId: number, set: FilterSet): void {
    keep(this.filters, accountId, set, MAX_FILTER_SETS);
  }

  keepEmojis(domain: string, emojis: ReadonlyMap<string, CustomEmoji>): void {
    keep(this.emojis, domain, emojis, MAX_SERVERS);
  }

  private forgetAll(): void {
    this.statuses.clear();
    this.accounts.clear();
    this.filters.clear();
    this.emojis.clear();
    this.db.raw.run("DELETE FROM temp.changed");
  }

  private forgetChanged(): void {
    const changed = this.db.all<{ kind: Kind; id: number }>("SELECT kind, id FROM temp.changed");
    if (changed.length === 0) return;
    // Rare, and the cache does not record which texts use an emoji.
    if (changed.some(({ kind }) => kind === "emojis")) return this.forgetAll();
    const kinds = { status: this.statuses, account: this.accounts, filters: this.filters };
    for (const { kind, id } of changed) {
      if (kind === "author") this.forgetStatusesOf(id);
      else if (kind !== "emojis") kinds[kind].delete(id);
    }
    this.db.raw.run("DELETE FROM temp.changed");
  }

  private forgetStatusesOf(accountId: number): void {
    for (const [id, text] of this.statuses) if (text.accountId === accountId) this.statuses.delete(id);
  }
}

type Kind = "status" | "account" | "filters" | "emojis" | "author";

/** Drops the oldest entry first: timelines are mostly read at their new end. */
function keep<Key, Text>(texts: Map<Key, Text>, id: Key, text: Text, max: number): void {
  if (texts.size >= max) texts.delete(texts.keys().next().value!);
  texts.set(id, text);
}

const CHANGES = "SELECT total_changes() AS changes";
const STATE = "SELECT total_changes() AS changes, (SELECT data_version FROM pragma_data_version) AS version";

/** Not OR IGNORE: SQLite replaces it with ABORT in a trigger that a foreign key action fires. */
function note(kind: Kind, id: string): string {
  return `INSERT INTO changed SELECT '${kind}', ${id}
    WHERE ${id} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM changed WHERE kind = '${kind}' AND id = ${id});`;
}

/** Records the statuses whose card a row of `links`, `preview_cards` or `accounts` affects. */
function notingCards(trigger: string, on: string, condition: string): string {
  return `CREATE TEMP TRIGGER ${trigger} AFTER ${on} BEGIN
    INSERT INTO changed SELECT 'status', s.status_id
    FROM preview_cards c JOIN links l ON l.card_id = c.id JOIN status_links s ON s.link_id = l.id
    WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM changed WHERE kind = 'status' AND id = s.status_id); END`;
}

/** `id` is a column, or a function that returns an expression for the row `old` or `new`. */
function noting(table: string, verbs: readonly string[], kind: Kind, id: string | ((row: string) => string)): string[] {
  return verbs.flatMap((verb) => {
    const rows = verb === "UPDATE" ? ["old", "new"] : verb === "INSERT" ? ["new"] : ["old"];
    return `CREATE TEMP TRIGGER ${table}_${verb} AFTER ${verb} ON main.${table} BEGIN ${rows
      .map((row) => note(kind, typeof id === "string" ? `${row}.${id}` : id(row)))
      .join(" ")} END`;
  });
}

const ownerOfFilter = (row: string) => `(SELECT account_id FROM main.filters WHERE id = ${row}.filter_id)`;

const TRIGGERS = [
  "CREATE TEMP TABLE changed (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID",
  ...noting("accounts", ["UPDATE", "DELETE"], "account", "id"),
  ...noting("statuses", ["UPDATE", "DELETE"], "status", "id"),
  `CREATE TEMP TRIGGER accounts_sensitized AFTER UPDATE OF sensitized_at ON main.accounts BEGIN ${note("author", "new.id")} END`,
  ...noting("media_attachments", ["INSERT", "UPDATE", "DELETE"], "status", "status_id"),
  ...noting("mentions", ["INSERT", "UPDATE", "DELETE"], "status", "status_id"),
  ...noting("status_tags", ["INSERT", "DELETE"], "status", "status_id"),
  ...noting("status_links", ["INSERT", "DELETE"], "status", "status_id"),
  notingCards("links_card", "UPDATE OF card_id ON main.links", "l.id = new.id"),
  notingCards("preview_cards_any", "UPDATE ON main.preview_cards", "c.id = new.id"),
  notingCards(
    "accounts_attribution",
    "UPDATE OF attribution_domains ON main.accounts",
    "c.creator_account_id = new.id",
  ),
  ...noting("filters", ["INSERT", "UPDATE", "DELETE"], "filters", "account_id"),
  ...noting("filter_keywords", ["INSERT", "UPDATE", "DELETE"], "filters", ownerOfFilter),
  ...noting("filter_statuses", ["INSERT", "UPDATE", "DELETE"], "filters", ownerOfFilter),
  ...noting("custom_emojis", ["INSERT", "UPDATE", "DELETE"], "emojis", "id"),
  ...noting("quotes", ["INSERT", "UPDATE", "DELETE"], "status", "status_id"),
  ...noting("polls", ["INSERT", "UPDATE", "DELETE"], "status", "status_id"),
  ...noting(
    "poll_options",
    ["INSERT", "UPDATE", "DELETE"],
    "status",
    (row) => `(SELECT status_id FROM main.polls WHERE id = ${row}.poll_id)`,
  ),
];
