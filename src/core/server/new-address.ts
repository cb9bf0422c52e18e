import { and, eq, is, or, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { decodeHTML } from "entities";
import type { Address } from "../../config.ts";
import { build, execute, executeReturning } from "../../db/builder.ts";
import type { Tx, Value } from "../../db/open.ts";
import * as schema from "../../db/schema/index.ts";
import { linkHtml } from "../../lib/text/text.ts";
import type { StoredField } from "../accounts.ts";

/*
 * Gives the whole database another address. Every text of every table is rewritten, so a new table needs nothing here,
 * except for texts that users wrote: they stay as they are, but for the handles of local users.
 */

/** Columns with texts by users and moderators. */
const WRITTEN = new Set([
  "account_notes.comment",
  "account_warnings.text",
  "accounts.avatar_description",
  "accounts.display_name",
  "accounts.header_description",
  "announcements.text",
  "domain_blocks.private_comment",
  "domain_blocks.public_comment",
  "filter_keywords.keyword",
  "filters.title",
  "imports.file_name",
  "lists.title",
  "media_attachments.description",
  "pages.text",
  "poll_options.title",
  "reports.comment",
  "rules.hint",
  "rules.text",
  "rules.translations",
  "status_edits.poll_options",
  "status_edits.spoiler_text",
  "statuses.spoiler_text",
  "terms_of_service.text",
  "users.reason",
]);
/** Texts of which others are rendered, now or later: the handles in them have to stay those of local users. */
const SOURCES = new Set(["accounts.note", "scheduled_statuses.draft", "statuses.text"]);
/** Rendered from texts by users: what a link shows changes with its address. */
const RENDERED = new Set(["accounts.note_html", "status_edits.content", "statuses.content"]);
/** Text and HTML together. */
const FIELDS = "accounts.fields";

interface Names {
  from: Address;
  to: Address;
  /** Of local accounts, in lower case. */
  usernames: ReadonlySet<string>;
}

const TABLES = Object.values(schema).filter((table) => is(table, SQLiteTable));

/** Rewrites what contains the address. Returns how many values have changed. */
export function rewriteAddress(tx: Tx, from: Address, to: Address): number {
  const local = tx.all<{ username: string }>("SELECT username FROM accounts WHERE domain IS NULL");
  const names = { from, to, usernames: new Set(local.map(({ username }) => username.toLowerCase())) };
  let changes = 0;
  for (const table of TABLES) {
    const { name, columns } = getTableConfig(table);
    for (const column of columns) {
      const rewrite = column.getSQLType() === "text" ? rewriterOf(`${name}.${column.name}`, names) : null;
      if (rewrite) changes += rewriteColumn(tx, { table, column, from, rewrite });
    }
  }
  return changes;
}

/** Null for texts that stay as they are. */
function rewriterOf(column: string, names: Names): ((text: string) => string) | null {
  if (WRITTEN.has(column)) return null;
  if (SOURCES.has(column)) return (text) => withHandles(text, names);
  if (RENDERED.has(column)) return (text) => withLinks(text, names);
  if (column === FIELDS) return (text) => withFields(text, names);
  return (text) => withHandles(withOrigin(text, names), names);
}

interface Rewriting {
  table: SQLiteTable;
  column: SQLiteColumn;
  from: Address;
  rewrite(text: string): string;
}

/** Changes the rows by their primary key. */
function rewriteColumn(tx: Tx, { table, column, from, rewrite }: Rewriting): number {
  const keys = keysOf(table);
  const contains = [from.origin, `@${from.handleDomain}`].map((text) => sql`instr(lower(${column}), ${text}) > 0`);
  const selected: Record<string, SQL.Aliased<Value>> = { value: sql<Value>`${column}`.as("value") };
  for (const [at, key] of keys.entries()) selected[`key${at}`] = sql<Value>`${key}`.as(`key${at}`);
  const found = executeReturning(
    tx,
    build
      .select(selected)
      .from(table)
      .where(or(...contains)),
  );
  let changes = 0;
  for (const row of found) {
    const value = row.value as string;
    const text = rewrite(value);
    if (text === value) continue;
    const isRow = keys.map((key, at) => eq(key, row[`key${at}`]));
    execute(
      tx,
      build
        .update(table)
        .set({ [column.name]: text })
        .where(and(...isRow)),
    );
    changes += 1;
  }
  return changes;
}

function keysOf(table: SQLiteTable): SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

/** A longer name that only begins like the address is another one: `https://a.example` in `https://a.example.org`. */
const END = String.raw`(?![\w-]|:\d|\.\w)`;

function withOrigin(text: string, { from, to }: Names): string {
  return text.replaceAll(new RegExp(RegExp.escape(from.origin) + END, "gi"), () => to.origin);
}

function withHandles(text: string, { from, to, usernames }: Names): string {
  const handle = new RegExp(String.raw`(?<![\w@/.-])@(\w[\w.-]*)@${RegExp.escape(from.handleDomain)}${END}`, "gi");
  return text.replaceAll(handle, (whole, username: string) =>
    usernames.has(username.toLowerCase()) ? `@${username}@${to.handleDomain}` : whole,
  );
}

const SHOWN_LINK = /<a href="([^"]*)" target="_blank" rel="([^"]*)" translate="no">.*?<\/a>/gs;

/** A link that shows its address shows the new one, and everything else that contains the address has it. */
function withLinks(html: string, names: Names): string {
  const linked = html.replaceAll(SHOWN_LINK, (link, href: string, rel: string) => {
    const url = decodeHTML(href);
    return linkHtml(url, rel) === link ? linkHtml(withOrigin(url, names), rel) : link;
  });
  return withHandles(withOrigin(linked, names), names);
}

function withFields(json: string, names: Names): string {
  const fields = JSON.parse(json) as StoredField[];
  return JSON.stringify(
    fields.map((field) => ({ ...field, value: withHandles(field.value, names), html: withLinks(field.html, names) })),
  );
}
