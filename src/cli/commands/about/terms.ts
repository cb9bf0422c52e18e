import { listTerms, publishTerms, removeTerms } from "../../../core/server/terms.ts";
import { command, option, argument } from "../../command.ts";
import { textOf } from "../../input-files.ts";
import { list } from "../../list.ts";
import { withData } from "../../data-folder.ts";

export const commands = {
  "terms publish": command({
    summary: "Publishes terms of service, effective today or later",
    details: "Earlier terms remain available at /terms-of-service/YYYY-MM-DD.",
    args: { file: argument("a Markdown file, or - for standard input") },
    options: { "effective-date": option("YYYY-MM-DD", "the first day (UTC) on which they apply (default: today)") },
    run: async ({ file }, { "effective-date": day }) => {
      const text = await textOf(file);
      const date = await withData((ctx) => publishTerms(ctx, text, day));
      console.log(`Published the terms of service effective from ${date}.`);
    },
  }),
  "terms list": list({
    summary: "Lists all terms of service by their effective date",
    find: () => withData((ctx) => listTerms(ctx.db)),
    empty: () => "There are no terms of service.",
    columns: { "EFFECTIVE FROM": ({ effective_date }) => effective_date },
    json: ({ effective_date }) => ({ effective_date }),
  }),
  "terms remove": command({
    summary: "Removes the terms of service with this effective date",
    args: { date: argument() },
    confirm: ({ date }) => `Remove the terms of service effective from ${date}?`,
    run: async ({ date }) => {
      await withData((ctx) => removeTerms(ctx, date));
      console.log(`Removed the terms of service effective from ${date}.`);
    },
  }),
};
