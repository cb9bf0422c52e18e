import { addRule, editRule, listRules, removeRule, translateRule } from "../../../core/server/rules.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, option, argument } from "../../command.ts";
import { list } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { idFrom, unsuitable } from "../../parsers.ts";

const ID = argument("", idFrom("rule list"));

export const commands = {
  "rule add": command({
    summary: "Adds a server rule, which apps show and reports can refer to",
    args: { text: argument() },
    options: { hint: option("TEXT", "an explanation, shown below the rule") },
    run: async ({ text }, { hint = "" }) => {
      const id = await withData((ctx) => addRule(ctx, { text, hint }));
      console.log(`Added rule ${id}.`);
    },
  }),
  "rule list": list({
    summary: "Lists the rules in order, with hints and translations",
    find: () => withData((ctx) => listRules(ctx.db)),
    empty: () => "There are no rules.",
    columns: { ID: ({ id }) => id, TEXT: ({ text }) => text },
    beneath: ({ hint, translations }) => [
      ...(hint ? [hint] : []),
      ...Object.entries(translations).map(
        ([locale, words]) => `${locale}: ${[words.text, words.hint].filter(Boolean).join(" | ")}`,
      ),
    ],
    json: ({ id, text, hint, translations }) => ({ id: String(id), text, hint, translations }),
  }),
  "rule edit": command({
    summary: "Changes the text, hint or position of a rule",
    args: { id: ID },
    options: {
      text: option("TEXT", "the new text"),
      hint: option("TEXT", 'the new explanation; "" removes it'),
      place: option("N", "its position among the rules, from 1", placeOf),
    },
    run: async ({ id }, changes) => {
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new ArgumentError("There is nothing to change. Use at least one of the options.");
      }
      await withData((ctx) => editRule(ctx, id, changes));
      console.log(`Updated rule ${id}.`);
    },
  }),
  "rule translate": command({
    summary: "Sets or removes the translation of a rule",
    args: { id: ID, locale: argument("a code such as de or pt-BR"), text: argument('"" removes the translation') },
    options: { hint: option("TEXT", "the hint in that language") },
    run: async ({ id, locale, text }, { hint = "" }) => {
      await withData((ctx) => translateRule(ctx, id, locale, { text, hint }));
      console.log(`${text.trim() ? "Set" : "Removed"} the ${locale} translation of rule ${id}.`);
    },
  }),
  "rule remove": command({
    summary: "Removes a rule; existing reports still show it",
    args: { id: ID },
    confirm: ({ id }) => `Remove rule ${id}?`,
    run: async ({ id }) => {
      await withData((ctx) => removeRule(ctx, id));
      console.log(`Removed rule ${id}. Existing reports still show it.`);
    },
  }),
};

function placeOf(given: string, name: string): number {
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : unsuitable(name, given, "a number from 1");
}
