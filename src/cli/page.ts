import { findPage, MAX_PAGE, PAGES, removePage, setPage, type PageName } from "../core/pages.ts";
import { listTerms, publishTerms, removeTerms } from "../core/terms.ts";
import { Refusal, UsageError } from "../errors.ts";
import { readArguments } from "./arguments.ts";
import { fileNamed } from "./files.ts";
import { withData } from "./open.ts";

export async function setPageCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME", "FILE"]);
  const name = pageNamed(words[0]!);
  const text = await readText(words[1]!);
  await withData((ctx) => setPage(ctx, name, text));
  console.log(`The page ${words[0]} is set.`);
}

/** Prints the text as it is, so that it can be changed and set again. */
export async function showPageCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  const name = pageNamed(words[0]!);
  const { text } = await withData((ctx) => findPage(ctx.db, name));
  if (text) console.log(text.trimEnd());
}

export async function removePageCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  const name = pageNamed(words[0]!);
  await withData((ctx) => removePage(ctx, name));
  console.log(`The page ${words[0]} is what it was at first.`);
}

export async function publishTermsCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, { "effective-date": { type: "string" } }, ["FILE"]);
  const text = await readText(words[0]!);
  const date = await withData((ctx) => publishTerms(ctx, text, values["effective-date"]));
  console.log(`The terms of service of ${date} are published.`);
}

export async function listTermsCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  for (const { effective_date } of await withData((ctx) => listTerms(ctx.db))) console.log(effective_date);
}

export async function removeTermsCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["DATE"]);
  await withData((ctx) => removeTerms(ctx, words[0]!));
  console.log(`The terms of service of ${words[0]} are gone.`);
}

/** On the command line words are joined by dashes. */
function pageNamed(given: string): PageName {
  const name = PAGES.find((known) => known.replaceAll("_", "-") === given);
  if (name) return name;
  const names = PAGES.map((known) => known.replaceAll("_", "-")).join(" or ");
  throw new UsageError(`NAME is "${given}", but should be ${names}.`);
}

/** A file's text, or what is piped in where the file is a dash. */
async function readText(file: string): Promise<string> {
  if (file === "-") return Bun.stdin.text();
  const source = await fileNamed(file);
  if (source.size > 4 * MAX_PAGE) throw new Refusal("invalid", `The file "${file}" is too large for a page.`);
  return source.text();
}
