import { createWriteStream, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Context } from "../../../context.ts";
import { exportArchive, type ExportProgress } from "../../../federation/archives/export.ts";
import {
  importArchive,
  type ImportOptions,
  type ImportProgress,
  type Pace,
} from "../../../federation/archives/import.ts";
import type { Counts, ImportPlan } from "../../../federation/archives/plan.ts";
import { renameDurably } from "../../../lib/files.ts";
import { bytesText, counted, Progress } from "../../backup/progress.ts";
import { argument, command, flag, requiredOption } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { fileNamed, requireNewFile } from "../../input-files.ts";
import { filled } from "../../parsers.ts";
import { userNamed } from "../../users.ts";

/** The rest lets a server beside this process write. */
const PACE: Pace = { files: 2, posts: 25, rest: 0.25 };

export const importCommands = {
  "import archive": command({
    summary: "Imports the old posts of a user from an archive of Mastodon, Akkoma, Pleroma, Pixelfed or Twitter",
    details: `The posts keep their dates, threads, media, warnings and visibility. Nobody is notified, and no other server learns of
them. Polls become text. Boosts, favourites and bookmarks are imported if this server knows the post. Public posts are always
for followers only if a Twitter archive says that the account was protected: it only knows about its last six months. A server
may run meanwhile. An import that was interrupted continues when it runs again; a second one adds nothing.`,
    args: { file: argument("a .zip, .tar.gz or .json file") },
    options: {
      user: requiredOption("NAME", "the name of the user", filled),
      profile: flag(
        "also takes over the name, text, fields and pictures of the profile, which followers' servers learn",
      ),
      "followers-only": flag(
        "imports public posts for followers only, also those of a Twitter account that was protected earlier",
      ),
      "dry-run": flag("only reports what would be imported, and what not"),
    },
    run: async ({ file }, { user, profile: withProfile, "followers-only": forFollowers, "dry-run": isDryRun }) => {
      await fileNamed(file);
      await withData((ctx) =>
        runImport(ctx, file, { accountId: userNamed(ctx, user).account_id, isDryRun, withProfile, forFollowers }),
      );
    },
  }),
};

export const exportCommands = {
  "export archive": command({
    summary: "Writes all posts, media, favourites and bookmarks of a user to a .zip file, in Mastodon's format",
    details: `"linnet import archive" and other programs read it. It contains private posts: keep it safe. A server may run meanwhile.`,
    args: { file: argument("the .zip file to write") },
    options: { user: requiredOption("NAME", "the name of the user", filled) },
    run: async ({ file }, { user }) => {
      await requireNewFile(file);
      await withData((ctx) => runExport(ctx, file, userNamed(ctx, user).account_id));
    },
  }),
};

async function runExport(ctx: Context, file: string, accountId: number): Promise<void> {
  const shown = new Progress();
  const unfinished = join(dirname(file), `.${basename(file)}.unfinished`);
  let written: ExportProgress = { posts: 0, files: 0 };
  try {
    const bytes = await exportArchive(ctx, accountId, (progress) => {
      written = progress;
      shown.update(() => `Wrote ${counted(progress.posts, "post")} and ${counted(progress.files, "file")}`);
    });
    await pipeline(bytes, createWriteStream(unfinished, { mode: 0o600 }));
    renameDurably(unfinished, file);
  } finally {
    shown.clear();
    rmSync(unfinished, { force: true });
  }
  shown.say(`Wrote ${counted(written.posts, "post")} and ${counted(written.files, "file")} to ${file}.`);
}

async function runImport(
  ctx: Context,
  file: string,
  choices: Pick<ImportOptions, "accountId" | "isDryRun" | "withProfile" | "forFollowers">,
): Promise<void> {
  // The processes that read the media inherit it.
  setPriority(constants.priority.PRIORITY_LOW);
  const shown = new Progress();
  try {
    const result = await importArchive(ctx, file, {
      ...choices,
      pace: PACE,
      isCancelled: () => false,
      onProgress: (progress) => {
        // Otherwise the bytes of files that are unpacked or stored stay in memory for long.
        if (progress.stage === "files") Bun.gc(true);
        shown.update(() => progressText(progress));
      },
    });
    shown.clear();
    for (const line of choices.isDryRun ? planned(result.plan!) : done(result)) shown.say(line);
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
    ...audienceLines(plan),
    ...skippedLines(plan, "would be"),
    "Nothing was changed.",
  ];
}

function done({ plan, posts, files, boosts, favourites, bookmarks }: ImportProgress): string[] {
  return [
    `Imported ${counted(posts, "post")} with ${counted(files, "file")}, ${counted(boosts, "boost")}, ${counted(favourites, "favourite")} and ${counted(bookmarks, "bookmark")}.`,
    ...audienceLines(plan!),
    ...skippedLines(plan!, "was"),
  ];
}

function audienceLines({ forFollowers }: ImportPlan): string[] {
  if (forFollowers === null) return [];
  const reason = forFollowers === "protected" ? ", since the account was protected" : "";
  return [`Public posts are imported for followers only${reason}.`];
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
