import type { Pattern } from "../lib/text/keywords.ts";
import type { Db } from "./open.ts";
import type { customEmojis } from "./schema/index.ts";

/** A status as JSON text, in the pieces from which it, its reblogs and its quotes are put together. */
export interface StatusText {
  accountId: number;
  reblogOfId: number | null;
  /** Null for one that quotes nothing. */
  quote: QuoteText | null;
  poll: PollText | null;
  /** What is its own even as a reblog: ids, dates, visibility. */
  own: string;
  /** What a reblog says like its original: content, language, counters. */
  shared: string;
  /** The same for the author, where a moderator had their media marked as sensitive for everybody else; null otherwise. */
  sharedWithAuthor: string | null;
  /** Who may quote it: members of an object that wants to know of the viewer too. */
  quoteApproval: string;
  /** Attachments, mentions, tags and the like. */
  rest: string;
  card: CardText | null;
  /** The folded text (`lib/text/keywords.ts`) in which keywords are sought; made only for viewers with filters: it is slow. */
  words(): string;
}

/** A preview card as JSON text without its braces, and what is put in for each viewer. */
export interface CardText {
  members: string;
  /** The author's name and address, likewise; null where there is none. */
  author: string | null;
  /** The author's account, if it confirms that. */
  authorId: number | null;
  /** Somebody here whom the page names, and who doesn't confirm it. */
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

/** Somebody's filters, ready to be held against statuses. */
export interface FilterSet {
  rules: FilterRule[];
  /** When the first of them ends, in milliseconds since 1970. */
  until: number;
  /** What they found; forgotten with the text in which it stands. */
  found: WeakMap<StatusText, string>;
}

/** What a status quotes: shown or not as the viewer may see it. */
export interface QuoteText {
  state: string;
  /** Null once it is gone. */
  quotedId: number | null;
}

/** A poll's members as JSON text, as long as it is open and when it is over: what is told of the votes may differ. */
export interface PollText {
  id: number;
  /** Milliseconds since 1970; null for one without an end. */
  expiresAt: number | null;
  open: string;
  over: string;
}

/** About 2 KiB each. */
const MAX_STATUSES = 2000;
const MAX_ACCOUNTS = 1000;
const MAX_FILTER_SETS = 1000;
/** More than are posted in one turn of the event loop. */
const MAX_EXPECTED = 64;
/** Some hundred emoji each. */
const MAX_SERVERS = 100;

/**
 * What has been rendered of rows that have not changed since. Triggers note every change of such a row, whichever verb
 * makes it, so nobody has to remember to; another process's commit empties everything. Statuses and accounts hold
 * nothing that depends on the viewer; what somebody filters is kept beside them.
 */
export class Rendered {
  readonly statuses = new Map<number, StatusText>();
  readonly accounts = new Map<number, string>();
  /** By the account of whose filters they are. */
  readonly filters = new Map<number, FilterSet>();
  /** By the domain whose they are, "" for ours, and by shortcode. */
  readonly emojis = new Map<string, ReadonlyMap<string, CustomEmoji>>();
  private readonly expected = new Set<number>();
  private changes = -1;
  private version = -1;

  constructor(private readonly db: Db) {
    for (const statement of TRIGGERS) db.raw.run(statement);
  }

  /** Forgets what has changed. Everyone who reads from here calls this first. */
  refresh(): void {
    const now = this.db.get<{ changes: number; version: number }>(STATE)!;
    if (now.version !== this.version) this.forgetAll();
    else if (now.changes !== this.changes) this.forgetChanged();
    else return;
    this.version = now.version;
    this.changes = this.db.get<{ changes: number }>(CHANGES)!.changes;
  }

  /** A status has just been written, and is asked for in a moment: together with what was written beside it. */
  expectStatus(id: number): void {
    if (this.expected.size >= MAX_EXPECTED) this.expected.clear();
    this.expected.add(id);
  }

  /** What is expected and wasn't taken yet. */
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
    // Rare, and nobody keeps which texts an emoji stands in.
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

/** The oldest goes first: a timeline's page is asked for while it is new. */
function keep<Key, Text>(texts: Map<Key, Text>, id: Key, text: Text, max: number): void {
  if (texts.size >= max) texts.delete(texts.keys().next().value!);
  texts.set(id, text);
}

const CHANGES = "SELECT total_changes() AS changes";
const STATE = "SELECT total_changes() AS changes, (SELECT data_version FROM pragma_data_version) AS version";

/** Not OR IGNORE: in a trigger that a foreign key sets off, SQLite puts ABORT in its place. */
function note(kind: Kind, id: string): string {
  return `INSERT INTO changed SELECT '${kind}', ${id}
    WHERE ${id} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM changed WHERE kind = '${kind}' AND id = ${id});`;
}

/** Notes the statuses whose card a row of links or preview_cards is about. */
function notingCards(trigger: string, on: string, condition: string): string {
  return `CREATE TEMP TRIGGER ${trigger} AFTER ${on} BEGIN
    INSERT INTO changed SELECT 'status', s.status_id
    FROM preview_cards c JOIN links l ON l.card_id = c.id JOIN status_links s ON s.link_id = l.id
    WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM changed WHERE kind = 'status' AND id = s.status_id); END`;
}

/** `id` is a column, or an expression of a row. */
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
