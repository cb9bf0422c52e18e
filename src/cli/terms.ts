import { listTerms, publishTerms, removeTerms } from "../core/terms.ts";
import { command, option, word } from "./command.ts";
import { textOf } from "./files.ts";
import { withData } from "./open.ts";

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
  "terms list": command({
    summary: "Lists the days from which terms of service apply",
    run: async () => {
      for (const { effective_date } of await withData((ctx) => listTerms(ctx.db))) console.log(effective_date);
    },
  }),
  "terms remove": command({
    summary: "Removes the terms of service of a day",
    words: { date: word() },
    run: async ({ date }) => {
      await withData((ctx) => removeTerms(ctx, date));
      console.log(`The terms of service of ${date} are removed.`);
    },
  }),
};
