import { listTerms, publishTerms, removeTerms } from "../../core/server/terms.ts";
import { command, option, word } from "../command.ts";
import { textOf } from "../files.ts";
import { list } from "../list.ts";
import { withData } from "../open.ts";

export const commands = {
  "terms publish": command({
    summary: "Publishes terms of service, effective today or from a later day on",
    details: "Earlier terms stay readable at the address of their day.",
    words: { file: word("Markdown; - reads standard input") },
    options: { "effective-date": option("YYYY-MM-DD", "the first day (UTC) on which they apply; today without it") },
    run: async ({ file }, { "effective-date": day }) => {
      const text = await textOf(file);
      const date = await withData((ctx) => publishTerms(ctx, text, day));
      console.log(`The terms of service of ${date} are published.`);
    },
  }),
  "terms list": list({
    summary: "Lists the days from which terms of service apply",
    find: () => withData((ctx) => listTerms(ctx.db)),
    empty: () => "There are no terms of service.",
    columns: { "EFFECTIVE FROM": ({ effective_date }) => effective_date },
    json: ({ effective_date }) => ({ effective_date }),
  }),
  "terms remove": command({
    summary: "Removes the terms of service of a day",
    words: { date: word() },
    confirm: ({ date }) => `Remove the terms of service of ${date}?`,
    run: async ({ date }) => {
      await withData((ctx) => removeTerms(ctx, date));
      console.log(`The terms of service of ${date} are removed.`);
    },
  }),
};
