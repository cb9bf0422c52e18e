import { basename } from "node:path";
import { MAX_BYTES } from "../../../core/transfer/csv-file.ts";
import { csvImport, failuresOf, importCsv } from "../../../core/transfer/csv-import.ts";
import { CSV_KINDS } from "../../../core/transfer/csv-kinds.ts";
import { cancelImport, type ImportRow, importsOf, ownImport } from "../../../core/transfer/imports.ts";
import { Refusal } from "../../../errors.ts";
import { argument, command, flag, option, requiredOption } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { fileNamed } from "../../input-files.ts";
import { iso, list, minute } from "../../list.ts";
import { filled, idFrom, oneOf } from "../../parsers.ts";
import { userNamed } from "../../users.ts";
import { importCommands } from "./archives.ts";

const USER = requiredOption("NAME", "the name of the user", filled);

export const commands = {
  ...importCommands,
  "import csv": command({
    summary: "Imports follows, lists, mutes, blocks, blocked domains, bookmarks or filters of a user",
    details: `FILE is one of the files that Mastodon exports, with its name or its header line. The running server imports it in the
background, or at its next start: "linnet import list" shows the progress, and "linnet import failures" the rows that failed.`,
    args: { file: argument() },
    options: {
      user: USER,
      kind: option("KIND", `what the file contains, if it doesn't say so: ${CSV_KINDS.join(", ")}`, oneOf(CSV_KINDS)),
      replace: flag("removes what the user has of this kind and the file doesn't name"),
    },
    run: async ({ file }, { user, kind = null, replace }) => {
      const source = await fileNamed(file);
      // One byte more than allowed is enough to refuse it.
      const upload = { name: basename(file), bytes: await source.slice(0, MAX_BYTES + 1).bytes() };
      const begun = await withData(async (ctx) => {
        const { account_id: accountId } = userNamed(ctx, user);
        const id = await importCsv(ctx, upload, { accountId, kind, mode: replace ? "replace" : "merge" });
        return ownImport(ctx.db, accountId, id);
      });
      console.log(
        `Import ${begun.id} has ${begun.total} rows of ${begun.kind}. The server imports them now, or at its next start.`,
      );
    },
  }),
  "import list": list({
    summary: "Lists a user's imports of the last 30 days, with their progress",
    options: { user: USER },
    find: (_, { user }) => withData((ctx) => importsOf(ctx.db, userNamed(ctx, user).account_id)),
    empty: () => "There are no imports.",
    columns: {
      ID: ({ id }) => id,
      KIND: ({ kind }) => kind,
      MODE: ({ mode }) => mode,
      STATE: ({ state }) => state,
      DONE: ({ done, total }) => `${done} of ${total ?? "?"}`,
      FAILED: ({ failed }) => failed,
      STARTED: ({ created_at }) => minute(created_at),
    },
    beneath: ({ error }) => (error === null ? [] : [error]),
    json: toJson,
  }),
  "import failures": command({
    summary: "Prints the failed rows of a user's import as a CSV file that can be imported again, with the reasons",
    args: { id: argument("", idFrom("import list")) },
    options: { user: USER },
    run: async ({ id }, { user }) => {
      const text = await withData((ctx) => {
        const { id: importId } = ownImport(ctx.db, userNamed(ctx, user).account_id, id);
        const csv = csvImport(ctx.db, importId);
        return csv === null ? "" : failuresOf(ctx.db, csv, (reason) => reason);
      });
      process.stdout.write(text);
    },
  }),
  "import cancel": command({
    summary: "Stops a user's import; what it has done so far stays",
    args: { id: argument("", idFrom("import list")) },
    options: { user: USER },
    run: async ({ id }, { user }) => {
      const { state } = await withData(async (ctx) => {
        const { account_id: accountId } = userNamed(ctx, user);
        await cancelImport(ctx, accountId, id);
        return ownImport(ctx.db, accountId, id);
      });
      if (state !== "cancelled") throw new Refusal("conflict", `Import ${id} has ended already.`);
      console.log(`Cancelled import ${id}.`);
    },
  }),
};

function toJson({ id, kind, mode, state, file_name, total, done, failed, error, created_at, ended_at }: ImportRow) {
  return {
    id: String(id),
    kind,
    mode,
    state,
    file_name,
    total,
    done,
    failed,
    error,
    created_at: iso(created_at),
    ended_at: iso(ended_at),
  };
}
