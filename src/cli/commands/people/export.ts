import { exportCsv } from "../../../core/transfer/csv-export.ts";
import { CSV_KINDS } from "../../../core/transfer/csv-kinds.ts";
import { argument, command, requiredOption } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { filled, oneOf } from "../../parsers.ts";
import { userNamed } from "../../users.ts";
import { exportCommands } from "./archives.ts";

export const commands = {
  ...exportCommands,
  "export csv": command({
    summary:
      "Prints follows, lists, mutes, blocks, blocked domains, bookmarks or filters of a user in Mastodon's format",
    details: "Filters are JSON, as in Mastodon.",
    args: { kind: argument(CSV_KINDS.join(", "), oneOf(CSV_KINDS)) },
    options: { user: requiredOption("NAME", "the name of the user", filled) },
    run: async ({ kind }, { user }) => {
      const { text } = await withData((ctx) => exportCsv(ctx, userNamed(ctx, user).account_id, kind));
      process.stdout.write(text);
    },
  }),
};
