import { INVISIBLE } from "../lib/text/invisible.ts";
import {
  command,
  flag,
  type Command,
  type Declaration,
  type Options,
  type ValuesOf,
  type Arguments,
} from "./command.ts";

const JSON_OPTION = { json: flag("prints JSON, with the names and formats of Mastodon's API") };

interface Listing<A extends Arguments, O extends Options, Row> extends Omit<Declaration<A, O>, "run"> {
  find(args: ValuesOf<A>, options: ValuesOf<O>): Row[] | Promise<Row[]>;
  /** Printed instead of an empty table. */
  empty(options: ValuesOf<O>): string;
  /** The value of each column, by its header. */
  columns: Record<string, (row: Row) => string | number>;
  /** Lines below the row, indented. */
  beneath?(row: Row): string[];
  json(row: Row): object;
}

/** Declares a command that prints a table with a header line, or with `--json` an array of objects. */
export function list<const A extends Arguments = {}, const O extends Options = {}, Row = never>(
  listing: Listing<A, O, Row>,
): Command {
  const { find, empty, columns, beneath, json: toJson, options, ...declaration } = listing;
  return command({
    ...declaration,
    options: { ...options, ...JSON_OPTION },
    run: async (args, given) => {
      const { json, ...others } = given as ValuesOf<O> & { json: boolean };
      const chosen = others as unknown as ValuesOf<O>;
      const rows = await find(args as ValuesOf<A>, chosen);
      if (json) printJson(rows.map(toJson));
      else if (rows.length === 0) console.log(empty(chosen));
      else console.log(tableOf(rows, columns, beneath).join("\n"));
    },
  });
}

/** Declares a command that prints one thing as lines of text, or with `--json` as an object. */
export function show<const A extends Arguments, Found>(showing: {
  summary: string;
  args: A;
  find(args: ValuesOf<A>): Promise<Found>;
  /** The values of each fact by its name; facts without values are omitted. */
  facts(found: Found): Record<string, (string | number | null)[]>;
  json(found: Found): object;
}): Command {
  const { summary, args, find, facts, json: toJson } = showing;
  return command({
    summary,
    args,
    options: JSON_OPTION,
    run: async (given, { json }) => {
      const found = await find(given as ValuesOf<A>);
      if (json) printJson(toJson(found));
      else for (const line of factLines(facts(found))) console.log(line);
    },
  });
}

function factLines(facts: Record<string, (string | number | null)[]>): string[] {
  const named = Object.entries(facts).flatMap(([name, values]) =>
    values.filter((value) => value !== null && value !== "").map((value) => [`${name}:`, String(value)] as const),
  );
  const width = Math.max(0, ...named.map(([name]) => name.length)) + 1;
  return named.map(([name, value]) => name.padEnd(width) + quoted(value, width));
}

export function printJson(value: object): void {
  const text = JSON.stringify(value, null, 2);
  // Line feeds inside strings are already escaped; the others separate lines.
  console.log(text.replace(INVISIBLE, (mark) => (mark === "\n" ? mark : escaped(mark))));
}

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export function tableOf<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => string | number>,
  beneath: (row: Row) => string[] = () => [],
): string[] {
  const cells = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => oneLine(cell(row))))];
  const widths = Object.keys(columns).map((_, column) =>
    Math.max(...cells.map((line) => Bun.stringWidth(line[column]!))),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => padded(cell, widths[column]!))
      .join("  ")
      .trimEnd(),
  );
  const indent = " ".repeat(widths[0]! + 2);
  return lines.flatMap((line, index) => {
    const more = index === 0 ? [] : beneath(rows[index - 1]!);
    return [line, ...more.map((text) => indent + oneLine(text))];
  });
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(width - Bun.stringWidth(cell));
}

/** Text by users on one line, without characters that could control the terminal. */
export function oneLine(value: string | number): string {
  return quoted(String(value).replaceAll(/\s+/g, " "));
}

/**
 * Prepares text by users for the terminal: replaces control characters, which could control the terminal, and indents
 * all lines after the first, which could look like output of the program.
 */
function quoted(text: string, indent = 0): string {
  const lines = text.split(/\r?\n/).map((line) => line.replace(INVISIBLE, "\uFFFD"));
  return lines.join(`\n${" ".repeat(indent)}`);
}

/** A day such as 2026-11-22, or a dash for null. */
export function day(time: number | null): string {
  return time === null ? "-" : new Date(time).toISOString().slice(0, 10);
}

/** A minute such as 2026-11-22T18:00Z, or a dash for null. */
export function minute(time: number | null): string {
  return time === null ? "-" : `${new Date(time).toISOString().slice(0, 16)}Z`;
}

/** A time in the format of Mastodon's API. */
export function iso(time: number): string;
export function iso(time: number | null): string | null;
export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
