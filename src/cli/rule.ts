import { addRule, editRule, listRules, removeRule, translateRule } from "../core/rules.ts";
import { UsageError } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

const HINT = { hint: { type: "string" } } as const;

export async function addRuleCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, HINT, ["TEXT"]);
  const id = await withData((ctx) => addRule(ctx, { text: words[0]!, hint: values.hint ?? "" }));
  console.log(`Rule ${id} holds from now on.`);
}

/** A line a rule, and its hint and translations beneath. */
export async function listRulesCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  for (const { id, text, hint, translations } of await withData((ctx) => listRules(ctx.db))) {
    console.log(`${String(id).padEnd(5)}${text}`);
    if (hint) console.log(`     ${hint}`);
    for (const [locale, words] of Object.entries(translations)) {
      console.log(`     ${locale}: ${[words.text, words.hint].filter(Boolean).join(" | ")}`);
    }
  }
}

export async function editRuleCommand(args: string[]): Promise<void> {
  const options = { ...HINT, text: { type: "string" }, place: { type: "string" } } as const;
  const { values, words } = readArguments(args, options, ["ID"]);
  const { text, hint, place } = values;
  if ([text, hint, place].every((value) => value === undefined)) {
    throw new UsageError("Nothing to change was given: --text, --hint or --place.");
  }
  if (place !== undefined && !/^[1-9]\d{0,3}$/.test(place)) {
    throw new UsageError(`--place is "${place}", but should be a number from 1.`);
  }
  const id = idOf(words[0]!);
  await withData((ctx) => editRule(ctx, id, { text, hint, place: place === undefined ? undefined : Number(place) }));
  console.log(`Rule ${id} is changed.`);
}

export async function translateRuleCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, HINT, ["ID", "LOCALE", "TEXT"]);
  const [id, locale, text] = [idOf(words[0]!), words[1]!, words[2]!];
  await withData((ctx) => translateRule(ctx, id, locale, { text, hint: values.hint ?? "" }));
  console.log(text.trim() ? `Rule ${id} can be read in ${locale}.` : `Rule ${id} can't be read in ${locale} any more.`);
}

export async function removeRuleCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = idOf(words[0]!);
  await withData((ctx) => removeRule(ctx, id));
  console.log(`Rule ${id} holds no more. Reports that name it keep it.`);
}

function idOf(given: string): number {
  const id = parseId(given);
  if (id === null) throw new UsageError(`ID is "${given}", but should be a number, as "linnet rule list" prints it.`);
  return id;
}
