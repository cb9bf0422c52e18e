import { findPage, PAGES, removePage, setPage, type PageName } from "../../../core/server/pages.ts";
import { command, argument } from "../../command.ts";
import { textOf } from "../../input-files.ts";
import { withData } from "../../data-folder.ts";
import { unsuitable } from "../../parsers.ts";

const NAME = argument("extended-description or privacy-policy", pageNamed);

export const commands = {
  "page set": command({
    summary: "Sets the extended description (/about) or the privacy policy (/privacy-policy)",
    args: {
      name: NAME,
      file: argument("a Markdown file, or - for standard input; %{domain} is replaced with the server's domain"),
    },
    run: async ({ name, file }) => {
      const text = await textOf(file);
      await withData((ctx) => setPage(ctx, name, text));
      console.log(`Set the ${shownName(name)}.`);
    },
  }),
  "page show": command({
    summary: "Prints the Markdown of a page",
    details: "Prints the default privacy policy if you have not set one.",
    args: { name: NAME },
    run: async ({ name }) => {
      const { text } = await withData((ctx) => findPage(ctx.db, name));
      if (text) console.log(text.trimEnd());
    },
  }),
  "page remove": command({
    summary: "Restores the default text",
    args: { name: NAME },
    confirm: ({ name }) => `Replace your ${shownName(name)} with the default text?`,
    run: async ({ name }) => {
      await withData((ctx) => removePage(ctx, name));
      console.log(`Restored the default ${shownName(name)}.`);
    },
  }),
};

/** The name on the command line, with dashes. */
function shownName(name: PageName): string {
  return name.replaceAll("_", "-");
}

function pageNamed(given: string, name: string): PageName {
  const names = PAGES.map(shownName).join(" or ");
  return PAGES.find((known) => shownName(known) === given) ?? unsuitable(name, given, names);
}
