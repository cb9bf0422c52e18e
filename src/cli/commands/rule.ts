import { addRule, editRule, listRules, removeRule, translateRule } from "../../core/server/rules.ts";
import { ArgumentError } from "../argument-error.ts";
import { command, option, word } from "../command.ts";
import { list } from "../list.ts";
import { withData } from "../open.ts";
import { idFrom, unsuitable } from "../parsers.ts";

const ID = word("", idFrom("rule list"));

export const commands = {
  "rule add": command({
    summary: "Adds a rule of the server, for apps to show and reports to name",
    words: { text: word() },
    options: { hint: option("TEXT", "more about it, shown below the rule") },
    run: async ({ text }, { hint = "" }) => {
      const id = await withData((ctx) => addRule(ctx, { text, hint }));
      console.log(`Rule ${id} is added.`);
    },
  }),
  "rule list": list({
    summary: "Lists the rules in their order, with their hints and translations",
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
    summary: "Changes the text of a rule, or its place among the others",
    words: { id: ID },
    options: {
      text: option("TEXT", "what it says"),
      hint: option("TEXT", 'more about it; "" removes the hint'),
      place: option("N", "its place among the rules, from 1", placeOf),
    },
    run: async ({ id }, changes) => {
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new ArgumentError("Nothing to change was given.");
      }
      await withData((ctx) => editRule(ctx, id, changes));
      console.log(`Rule ${id} is changed.`);
    },
  }),
  "rule translate": command({
    summary: "Sets the text of a rule in another language",
    words: { id: ID, locale: word("a code such as de or pt-BR"), text: word('"" removes the translation') },
    options: { hint: option("TEXT", "the hint in that language") },
    run: async ({ id, locale, text }, { hint = "" }) => {
      await withData((ctx) => translateRule(ctx, id, locale, { text, hint }));
      console.log(`The ${locale} translation of rule ${id} is ${text.trim() ? "set" : "removed"}.`);
    },
  }),
  "rule remove": command({
    summary: "Removes a rule; existing reports still show it",
    words: { id: ID },
    confirm: ({ id }) => `Remove rule ${id}?`,
    run: async ({ id }) => {
      await withData((ctx) => removeRule(ctx, id));
      console.log(`Rule ${id} is removed. Existing reports still show it.`);
    },
  }),
};

function placeOf(given: string, name: string): number {
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : unsuitable(name, given, "a number from 1");
}
