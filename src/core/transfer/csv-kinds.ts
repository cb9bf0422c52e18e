import { parseDomain } from "../../lib/text/domains.ts";
import type { ImportKind } from "./imports.ts";

/*
 * Mastodon's export files. Some of them have no header, so their first row or their name has to say what they contain.
 */

export type CsvKind = Exclude<ImportKind, "archive">;

interface Format {
  /** The name of Mastodon's file. */
  fileName: string;
  /** In the order of Mastodon's file. The first ones identify the item, and always have a value. */
  columns: readonly string[];
  required: number;
  /** Whether Mastodon writes the names of the columns. */
  hasHeader: boolean;
}

const ADDRESS = "Account address";

export const FORMATS: Record<CsvKind, Format> = {
  follows: {
    fileName: "following_accounts.csv",
    columns: [ADDRESS, "Show boosts", "Notify on new posts", "Languages"],
    required: 1,
    hasHeader: true,
  },
  lists: { fileName: "lists.csv", columns: ["List name", ADDRESS], required: 2, hasHeader: false },
  mutes: { fileName: "muted_accounts.csv", columns: [ADDRESS, "Hide notifications"], required: 1, hasHeader: true },
  blocks: { fileName: "blocked_accounts.csv", columns: [ADDRESS], required: 1, hasHeader: false },
  domain_blocks: { fileName: "blocked_domains.csv", columns: ["#domain"], required: 1, hasHeader: false },
  bookmarks: { fileName: "bookmarks.csv", columns: ["#uri"], required: 1, hasHeader: false },
  // Mastodon's file of filters is JSON: the second cell has the whole filter.
  filters: { fileName: "custom_filters.json", columns: ["Title", "Filter"], required: 1, hasHeader: true },
};

export const CSV_KINDS = Object.keys(FORMATS) as CsvKind[];

/** Columns that only one kind of file has. */
const TELLING: readonly [string, CsvKind][] = [
  ["list name", "lists"],
  ["hide notifications", "mutes"],
  ["show boosts", "follows"],
  ["notify on new posts", "follows"],
  ["languages", "follows"],
  ["domain", "domain_blocks"],
  ["uri", "bookmarks"],
];

/** How the names of files begin, in Mastodon and others. */
const NAMES: readonly [RegExp, CsvKind][] = [
  [/^follow(?:ing|s)/i, "follows"],
  [/^(?:muted?_accounts|mut(?:es|ing))/i, "mutes"],
  [/^(?:blocked_domains|domain_blocks)/i, "domain_blocks"],
  [/^(?:blocked_accounts|blocks|blocking)/i, "blocks"],
  [/^lists/i, "lists"],
  [/^bookmarks/i, "bookmarks"],
];

/** The name of a column, without what programs write in different ways. */
function nameOf(cell: string): string {
  return cell.trim().replace(/^#/, "").toLowerCase();
}

const IS_ADDRESS = /^@?[^@\s/]+@[^@\s/]+$/;

const COLUMN_NAMES = new Set([nameOf(ADDRESS), ...TELLING.map(([name]) => name)]);

/** Whether a file's first row has the names of its columns. A list may have such a name, too. */
export function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => COLUMN_NAMES.has(nameOf(cell))) && !cells.some((cell) => IS_ADDRESS.test(cell.trim()));
}

/** The kinds that a file may be of: several if it is a plain list of accounts, none if it is something else. */
export function kindsOf(first: readonly string[], fileName: string): CsvKind[] {
  const found = isHeader(first) ? kindsOfHeader(first.map(nameOf)) : kindsOfRow(first);
  const named = NAMES.find(([pattern]) => pattern.test(fileName))?.[1];
  return named !== undefined && found.includes(named) ? [named] : found;
}

const OF_ACCOUNTS: CsvKind[] = ["follows", "mutes", "blocks"];

function kindsOfHeader(names: readonly string[]): CsvKind[] {
  const telling = TELLING.find(([name]) => names.includes(name));
  return telling ? [telling[1]] : OF_ACCOUNTS;
}

const isPageAddress = (cell: string) => /^https?:\/\//i.test(cell);

function kindsOfRow([first = "", second]: readonly string[]): CsvKind[] {
  const one = first.trim();
  if (IS_ADDRESS.test(one)) return OF_ACCOUNTS;
  if (second !== undefined && IS_ADDRESS.test(second.trim())) return ["lists"];
  if (isPageAddress(one)) return ["bookmarks"];
  return one.includes(".") && parseDomain(one) !== null ? ["domain_blocks"] : [];
}

/** Whether a row names an item of the kind. */
export function isWellFormed(kind: CsvKind, cells: readonly string[]): boolean {
  const [first = "", second = ""] = cells.map((cell) => cell.trim());
  switch (kind) {
    case "follows":
    case "mutes":
    case "blocks":
      return IS_ADDRESS.test(first);
    case "lists":
      return first !== "" && IS_ADDRESS.test(second);
    case "domain_blocks":
      return parseDomain(first) !== null;
    case "bookmarks":
      return isPageAddress(first);
    case "filters":
      return true;
  }
}

/** Puts the cells of a row into the order of the kind's columns. */
export function arrange(kind: CsvKind, header: readonly string[] | null): (cells: readonly string[]) => string[] {
  const { columns } = FORMATS[kind];
  const names = header?.map(nameOf);
  const places = columns.map((column, at) => names?.indexOf(nameOf(column)) ?? at);
  return (cells) => places.map((at) => cells[at] ?? "");
}
