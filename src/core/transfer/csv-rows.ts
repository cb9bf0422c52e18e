import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { parseDomain } from "../../lib/text/domains.ts";
import { DEVICE_LOCALE, localeOf } from "../../lib/text/languages.ts";
import type { Handle } from "../../lib/text/mentions.ts";
import { lookupAccount } from "../accounts.ts";
import { parseHandle } from "../addresses.ts";
import { block, blockDomain, mute } from "../people/blocks.ts";
import { follow } from "../people/follows.ts";
import { bookmark } from "../statuses/interactions.ts";
import { addToList, createList, type ListRow, listsOf } from "../timelines/lists.ts";
import { filterLike, saveFilter } from "./csv-filters.ts";
import type { CsvKind } from "./csv-kinds.ts";
import type { ImportMode } from "./imports.ts";

/** The subject of a row: an account or a status, which another server may have to be asked for. */
export type Subject =
  | { type: "account"; handle: Handle; address: string; isFollowed: boolean }
  | { type: "status"; address: string }
  | { type: "other" };

/** @throws Refusal if the row names nothing */
export function subjectOf(ctx: Context, kind: CsvKind, cells: readonly string[]): Subject {
  const [first = "", second = ""] = cells;
  switch (kind) {
    case "follows":
      return accountNamed(ctx, first, true);
    case "mutes":
    case "blocks":
      return accountNamed(ctx, first, false);
    case "lists":
      return accountNamed(ctx, second, true);
    case "bookmarks":
      if (!/^https?:$/.test(URL.parse(first.trim())?.protocol ?? "")) throw noStatus(first);
      return { type: "status", address: first.trim() };
    case "domain_blocks":
    case "filters":
      return { type: "other" };
  }
}

function accountNamed(ctx: Context, address: string, isFollowed: boolean): Subject {
  const handle = parseHandle(ctx, address);
  if (handle === null) throw noAccount(address);
  return { type: "account", handle, address: address.trim(), isFollowed };
}

export function noAccount(address: string): Refusal {
  return new Refusal("invalid", `No account is found as ${address}: check that it is written like @name@example.org.`);
}

export function noStatus(address: string): Refusal {
  return new Refusal("invalid", `No post is found at ${address}: it was deleted, or its address is wrong.`);
}

const STATUS_AT = "SELECT id FROM statuses WHERE uri = +$address";

/** Of a purged account only the row is left: a follow couldn't be sent. */
const HAS_INBOX = `
  SELECT 1 FROM accounts a
  WHERE a.id = +$id AND (a.domain IS NULL OR EXISTS (SELECT 1 FROM remote_accounts r WHERE r.account_id = a.id))`;

/** Posts that the user has imported from an archive of another server, by their addresses there. */
const IMPORTED_FROM = `
  SELECT s.id FROM imported_statuses i JOIN statuses s ON s.id = i.status_id
  WHERE i.account_id = +$accountId AND i.uri = +$address AND s.reblog_of_id IS NULL`;

/** The id of an account or status that is known here; null if it is unknown, or for other subjects. */
export function knownSubject(ctx: Context, accountId: number, subject: Subject): number | null {
  if (subject.type === "other") return null;
  if (subject.type === "account") {
    const id = lookupAccount(ctx, subject.address)?.id ?? null;
    return id !== null && subject.isFollowed && ctx.db.get(HAS_INBOX, { id }) === null ? null : id;
  }
  const { address } = subject;
  const imported = ctx.db.get<{ id: number }>(IMPORTED_FROM, { accountId, address });
  return (imported ?? ctx.db.get<{ id: number }>(STATUS_AT, { address }))?.id ?? null;
}

/** A row whose subject is known. */
export interface ReadyRow {
  accountId: number;
  kind: CsvKind;
  mode: ImportMode;
  cells: readonly string[];
  /** The id of the account or status; null for other subjects. */
  subjectId: number | null;
}

/** Does for a user what a row says. Doing it again changes nothing. @throws Refusal */
export function applyRow(ctx: Context, { accountId, kind, mode, cells, subjectId }: ReadyRow): void {
  if (subjectId === accountId && kind !== "lists") {
    throw new Refusal("invalid", "This is the account itself: name another one.");
  }
  switch (kind) {
    case "follows":
      return follow(ctx, accountId, subjectId, followOptions(cells));
    case "mutes":
      return mute(ctx, accountId, subjectId, { notifications: isTrue(cells[1]) ?? true, duration: 0 });
    case "blocks":
      return block(ctx, accountId, subjectId);
    case "lists":
      return addMember(ctx, accountId, cells[0]!.trim(), subjectId!);
    case "bookmarks":
      return void bookmark(ctx, accountId, subjectId);
    case "domain_blocks":
      return blockDomain(ctx, accountId, cells[0]!);
    case "filters":
      return saveFilter(ctx, accountId, mode, cells[1]!);
  }
}

function followOptions([, boosts, notify, languages = ""]: readonly string[]) {
  const codes = languages.split(/[,;\s]+/).filter((code) => DEVICE_LOCALE.test(code));
  return {
    reblogs: isTrue(boosts),
    notify: isTrue(notify),
    languages: codes.length > 0 ? codes.map(localeOf) : undefined,
  };
}

/** Undefined for an empty cell. */
function isTrue(cell = ""): boolean | undefined {
  const word = cell.trim().toLowerCase();
  return word === "" ? undefined : !["false", "f", "0", "no", "off"].includes(word);
}

const IS_TIED = `
  SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = +$memberId
  UNION ALL SELECT 1 FROM follow_requests WHERE account_id = +$accountId AND target_account_id = +$memberId`;

/** Creates the list if there is none with this title, and follows the account, as in Mastodon: a list has no other members. */
function addMember(ctx: Context, accountId: number, title: string, memberId: number): void {
  if (title === "") throw new Refusal("invalid", "Validation failed: Title can't be blank");
  if (memberId !== accountId && !ctx.db.get(IS_TIED, { accountId, memberId })) follow(ctx, accountId, memberId, {});
  const list = listTitled(ctx.db, accountId, title) ?? newList(ctx, accountId, title);
  if (membershipOf(ctx.db, list.id, memberId) === null) addToList(ctx, list, [memberId]);
}

function listTitled(db: Reads, accountId: number, title: string): ListRow | undefined {
  return listsOf(db, accountId).find((list) => list.title.trim() === title);
}

function newList(ctx: Context, accountId: number, title: string): ListRow {
  createList(ctx, accountId, { title, repliesPolicy: "list", exclusive: false });
  return listTitled(ctx.db, accountId, title)!;
}

function membershipOf(db: Reads, listId: number, memberId: number): number | null {
  const sql = "SELECT id FROM list_accounts WHERE list_id = +$listId AND account_id = +$memberId";
  return db.get<{ id: number }>(sql, { listId, memberId })?.id ?? null;
}

const DOMAIN_BLOCK = "SELECT id FROM account_domain_blocks WHERE account_id = +$accountId AND domain = +$domain";

/**
 * The id of what a user has that this row names: a replacement keeps it, also if the row has failed. It is the row of a
 * membership, a domain block or a filter, and otherwise the account or status.
 */
export function targetOf(tx: Tx, { accountId, kind, cells, subjectId }: ReadyRow): number | null {
  if (kind === "filters") return filterLike(tx, accountId, cells[1]!)?.id ?? null;
  if (kind === "lists") {
    const list = listTitled(tx, accountId, cells[0]!.trim());
    return list && subjectId !== null ? membershipOf(tx, list.id, subjectId) : null;
  }
  if (kind !== "domain_blocks") return subjectId;
  const domain = parseDomain(cells[0]!);
  return tx.get<{ id: number }>(DOMAIN_BLOCK, { accountId, domain })?.id ?? null;
}
