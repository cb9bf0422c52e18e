import { findPage, PAGES, removePage, setPage, type PageName } from "../../core/server/pages.ts";
import { command, word } from "../command.ts";
import { textOf } from "../files.ts";
import { withData } from "../open.ts";
import { unsuitable } from "../parsers.ts";

const NAME = word("extended-description or privacy-policy", pageNamed);

export const commands = {
  "page set": command({
    summary: "Sets a text about the server, for apps, /about and /privacy-policy",
    words: { name: NAME, file: word("Markdown; - reads standard input; %{domain} becomes the server's own") },
    run: async ({ name, file }) => {
      const text = await textOf(file);
      await withData((ctx) => setPage(ctx, name, text));
      console.log(`The page ${shownName(name)} is set.`);
    },
  }),
  "page show": command({
    summary: "Prints such a text as it was written",
    details: "Without a privacy policy of your own, prints Linnet's.",
    words: { name: NAME },
    run: async ({ name }) => {
      const { text } = await withData((ctx) => findPage(ctx.db, name));
      if (text) console.log(text.trimEnd());
    },
  }),
  "page remove": command({
    summary: "Restores the default text",
    words: { name: NAME },
    confirm: ({ name }) => `Remove your text of the page ${shownName(name)}?`,
    run: async ({ name }) => {
      await withData((ctx) => removePage(ctx, name));
      console.log(`The page ${shownName(name)} has its default text again.`);
    },
  }),
};

/** On the command line, dashes join the words of a name. */
function shownName(name: PageName): string {
  return name.replaceAll("_", "-");
}

function pageNamed(given: string, name: string): PageName {
  const names = PAGES.map(shownName).join(" or ");
  return PAGES.find((known) => shownName(known) === given) ?? unsuitable(name, given, names);
}
