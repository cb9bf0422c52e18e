import { constants, setPriority } from "node:os";
import type { Context } from "../../../context.ts";
import { importArchive, type ImportProgress } from "../../../federation/archives/import.ts";
import type { Counts, ImportPlan } from "../../../federation/archives/plan.ts";
import { bytesText, counted, Progress } from "../../backup/progress.ts";
import { argument, command, flag, requiredOption } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { fileNamed } from "../../input-files.ts";
import { filled } from "../../parsers.ts";
import { userNamed } from "../../users.ts";

/** With a processor core left for a server beside it. */
const FILES_AT_ONCE = 2;

export const importCommands = {
  "import archive": command({
    summary: "Imports the old posts of a user from an archive of Mastodon, Akkoma, Pleroma, Pixelfed or Twitter",
    details: `The posts keep their dates, threads, media, warnings and visibility. Nobody is notified, and no other server learns of
them. Polls become text. Boosts, favourites and bookmarks are imported if this server knows the post. A server may run
meanwhile. An import that was interrupted continues when it runs again; a second one adds nothing.`,
    args: { file: argument("a .zip, .tar.gz or .json file") },
    options: {
      user: requiredOption("NAME", "the name of the user", filled),
      "dry-run": flag("only reports what would be imported, and what not"),
    },
    run: async ({ file }, { user, "dry-run": isDryRun }) => {
      await fileNamed(file);
      await withData((ctx) => runImport(ctx, file, userNamed(ctx, user).account_id, isDryRun));
    },
  }),
};

async function runImport(ctx: Context, file: string, accountId: number, isDryRun: boolean): Promise<void> {
  // The processes that read the media inherit it.
  setPriority(constants.priority.PRIORITY_LOW);
  const shown = new Progress();
  try {
    const result = await importArchive(ctx, file, {
      accountId,
      isDryRun,
      filesAtOnce: FILES_AT_ONCE,
      onProgress: (progress) => shown.update(() => progressText(progress)),
    });
    shown.clear();
    for (const line of isDryRun ? planned(result.plan!) : done(result)) shown.say(line);
  } finally {
    shown.clear();
  }
}

function progressText({ stage, plan, files, posts }: ImportProgress): string {
  if (stage === "reading" || plan === null) return "Reading the archive";
  if (stage === "files") return `Stored ${files} of ${counted(plan.files.size, "file")}`;
  return `Stored ${posts} of ${counted(plan.posts, "post")}`;
}

function planned(plan: ImportPlan): string[] {
  return [
    `The archive has ${counted(plan.posts, "new post")} with ${counted(plan.files.size, "file")} (${bytesText(plan.bytes)}).`,
    `It also has ${counted(plan.boosts, "boost")}, ${counted(plan.favourites, "favourite")} and ${counted(plan.bookmarks, "bookmark")}. Those of posts that this server knows are imported.`,
    ...skippedLines(plan, "would be"),
    "Nothing was changed.",
  ];
}

function done({ plan, posts, files, boosts, favourites, bookmarks }: ImportProgress): string[] {
  return [
    `Imported ${counted(posts, "post")} with ${counted(files, "file")}, ${counted(boosts, "boost")}, ${counted(favourites, "favourite")} and ${counted(bookmarks, "bookmark")}.`,
    ...skippedLines(plan!, "was"),
  ];
}

function skippedLines({ known, skipped, skippedFiles }: ImportPlan, verb: string): string[] {
  const lines = (counts: Counts<string>, what: string) =>
    Object.entries(counts).map(([reason, count]) => `Not imported: ${counted(count!, what)} (${reason}).`);
  return [
    ...(known > 0 ? [`${counted(known, "post")} ${verb === "was" ? "were" : verb} skipped: imported before.`] : []),
    ...lines(skipped, "item"),
    ...lines(skippedFiles, "file"),
  ];
}
