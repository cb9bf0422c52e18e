import { Refusal } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { arrange, type CsvKind, isHeader, isWellFormed, kindsOf } from "./csv-kinds.ts";

/** Mastodon's limit. */
export const MAX_ROWS = 20_000;
/** In bytes: several times what that many rows need. */
export const MAX_BYTES = 10_000_000;
/** In characters: no list, address or filter is longer. A quote that never ends would make one row of the rest. */
const MAX_ROW = 20_000;
/** Rows that are read before other requests have their turn. */
const BATCH = 500;
const CHUNK = 64 * 1024;

export interface Upload {
  bytes: Uint8Array;
  name: string;
}

/** The items of a file, each with its cells in the order of the kind's columns. */
export interface CsvItems {
  kind: CsvKind;
  rows: string[][];
}

/**
 * Reads one of Mastodon's export files. `chosen` is the kind that the user expects; null if the file decides.
 *
 * @throws Refusal if the file has another kind, or can't be read as a whole
 */
export async function readItems({ bytes, name }: Upload, chosen: CsvKind | null): Promise<CsvItems> {
  if (bytes.length > MAX_BYTES) throw tooLarge();
  const text = textOf(bytes);
  if (text.trim() === "") throw new Refusal("invalid", "The file is empty. Nothing was imported.");
  const items = /^\s*\{/.test(text) ? readFilters(text) : await readRows(text, name, chosen);
  if (chosen !== null && items.kind !== chosen) throw otherKind();
  if (!items.rows.some((cells) => isWellFormed(items.kind, cells))) throw unknownFile();
  return items;
}

/** Without its byte order mark. Programs that don't write UTF-8 write UTF-16, with a mark, or an extension of Latin-1. */
function textOf(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  const text = decode(bytes, encoding) ?? decode(bytes, "windows-1252")!;
  // No text has these: the file is a picture, an archive or the like.
  if (/[^\P{Cc}\s\u007f-\u009f]/u.test(text)) throw unknownFile();
  return text;
}

function decode(bytes: Uint8Array, encoding: "utf-8" | "utf-16le" | "windows-1252"): string | null {
  try {
    return new TextDecoder(encoding, { fatal: encoding !== "windows-1252" }).decode(bytes);
  } catch {
    return null;
  }
}

async function readRows(text: string, name: string, chosen: CsvKind | null): Promise<CsvItems> {
  const records = await parse(text);
  const first = records[0] ?? [];
  const kinds = kindsOf(first, name);
  const [found] = kinds;
  if (found === undefined) throw unknownFile();
  if (chosen !== null && !kinds.includes(chosen)) throw otherKind();
  const kind = chosen ?? found;
  if (chosen === null && kinds.length > 1) {
    throw new Refusal("invalid", "The file is a list of accounts, but doesn't say for what: choose what it contains.");
  }
  const header = isHeader(first) ? first : null;
  const rows = (header ? records.slice(1) : records).map(arrange(kind, header));
  if (rows.length === 0) throw new Refusal("invalid", "The file is empty. Nothing was imported.");
  return { kind, rows };
}

/** Parses in pieces, so that requests are answered meanwhile. */
async function parse(text: string): Promise<string[][]> {
  // Only needed for an import.
  const { parse: parser, CsvError } = await import("csv-parse");
  const options = {
    delimiter: delimiterOf(text),
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW,
  };
  const { Readable } = await import("node:stream");
  const records: string[][] = [];
  try {
    for await (const record of Readable.from(piecesOf(text)).pipe(parser(options)) as AsyncIterable<string[]>) {
      if (record.every((cell) => cell.trim() === "")) continue;
      // One more for the header.
      if (records.push(record) > MAX_ROWS + 1) throw tooLarge();
      if (records.length % BATCH === 0) await pause();
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines : records.length + 1;
    throw new Refusal("invalid", `The file can't be read near line ${line}. Nothing was imported.`);
  }
  return records;
}

function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += CHUNK) yield text.slice(at, at + CHUNK);
}

/** Spreadsheets in many languages separate cells by semicolons. */
function delimiterOf(text: string): string {
  const line = text
    .trimStart()
    .split(/[\r\n]/, 1)[0]!
    .replaceAll(/"[^"]*"/g, "");
  return [",", ";", "\t"].find((delimiter) => line.includes(delimiter)) ?? ",";
}

/** Mastodon's file of filters. */
function readFilters(text: string): CsvItems {
  const filters = filtersIn(text);
  if (filters.length > MAX_ROWS) throw tooLarge();
  const rows = filters.map((filter) => {
    const json = JSON.stringify(filter);
    if (json.length > MAX_ROW * 10) throw tooLarge();
    return [titleOf(filter), json];
  });
  return { kind: "filters", rows };
}

function filtersIn(text: string): unknown[] {
  let found: unknown;
  try {
    found = (JSON.parse(text) as { custom_filters?: unknown }).custom_filters;
  } catch {
    throw unknownFile();
  }
  if (!Array.isArray(found)) throw unknownFile();
  if (found.length === 0) throw new Refusal("invalid", "The file is empty. Nothing was imported.");
  return found;
}

function titleOf(filter: unknown): string {
  const title = typeof filter === "object" && filter !== null && "title" in filter ? filter.title : "";
  return typeof title === "string" ? title : "";
}

function tooLarge(): Refusal {
  const megabytes = MAX_BYTES / 1_000_000;
  return new Refusal(
    "invalid",
    `The file is too large: an import has at most ${MAX_ROWS} rows and ${megabytes} MB. Nothing was imported. Split the file.`,
  );
}

function otherKind(): Refusal {
  return new Refusal("invalid", "The file contains something else than you chose. Nothing was imported.");
}

function unknownFile(): Refusal {
  return new Refusal(
    "invalid",
    "This is no file of Mastodon's export: neither a CSV file of accounts, lists, domains or bookmarks nor a list of filters. Nothing was imported.",
  );
}
