import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "bun:test";
import { addEmoji } from "../../src/core/media/emojis.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { serverForEachTest } from "../support/setup.ts";
import { formOf, pictureFile, upload, uploaded } from "../support/uploads.ts";

/* Files are written before the rows that refer to them. A crash between the two leaves orphaned files. */

const DAY = 24 * 3600_000;
const ANY = "ab/abcdefghijklmnopqrstuv";

const { server, alice } = serverForEachTest(["alice"]);

const placeOf = (path: string): string => join(server.ctx.config.data, path);
const isThere = (path: string): boolean => existsSync(placeOf(path));

function age(path: string, by: number): void {
  const time = (server.clock.now() - by) / 1000;
  utimesSync(placeOf(path), time, time);
}

/** Creates an orphaned file of this age in milliseconds, and returns its path below the data folder. */
function orphan(path: string, old = DAY + 1000): string {
  mkdirSync(dirname(placeOf(path)), { recursive: true });
  writeFileSync(placeOf(path), "left");
  age(path, old);
  return path;
}

/** All files in the folders that the sweep covers. */
function everyFile(): string[] {
  const paths = readdirSync(server.ctx.config.data, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => /^(?:media|cache)\//.test(path) && statSync(placeOf(path)).isFile()).sort();
}

/** Runs a complete sweep. */
async function sweep(): Promise<void> {
  const { ctx, clock } = server;
  ctx.db.transaction((tx) => schedule(ctx, tx, "media.sweep", clock.now()));
  const isRunning = () =>
    ctx.db.get("SELECT 1 FROM jobs WHERE kind = 'media.sweep' AND payload ->> 'after' IS NOT NULL") !== null;
  await server.drain();
  while (isRunning()) {
    clock.advance(10_000);
    await server.drain();
  }
  expect(ctx.db.all("SELECT error FROM jobs WHERE error IS NOT NULL")).toEqual([]);
}

test("orphaned files are removed after a day, with their folder", async () => {
  const old = [
    orphan(`media/attachments/${ANY}/original.png`),
    orphan(`media/attachments/${ANY}/.half-written`),
    orphan(`media/avatars/${ANY}/original.png`),
    orphan(`media/emojis/${ANY}/static.png`),
    orphan(`media/headers/${ANY}/original.webp`),
    orphan(`cache/attachments/${ANY}/preview.jpg`),
    orphan(`cache/avatars/${ANY}/static.webp`),
    orphan(`cache/cards/${ANY}/small.webp`),
    orphan(`cache/emojis/${ANY}/original.png`),
    orphan(`cache/headers/${ANY}/original.jpg`),
  ];
  const young = orphan("media/attachments/ab/vutsrqponmlkjihgfedcba/original.png", DAY - 1000);
  await sweep();
  expect(old.filter(isThere)).toEqual([]);
  expect([isThere(`media/attachments/${ANY}`), isThere(young)]).toEqual([false, true]);
});

test("files with a row of any kind stay", async () => {
  const { ctx } = server;
  await uploaded(alice);
  await upload(alice, await pictureFile("png", { width: 2000, height: 1000 }), { thumbnail: await pictureFile() });
  await alice.patch(
    "/api/v1/accounts/update_credentials",
    formOf({ avatar: await pictureFile(), header: await pictureFile("jpeg") }),
  );
  await addEmoji(ctx, {
    shortcode: "tea",
    picture: await (await pictureFile()).bytes(),
    category: null,
    visibleInPicker: true,
  });
  const clip = orphan("media/attachments/cd/x/source");
  const [file, still] = [orphan(`cache/avatars/${ANY}/original.webp`), orphan(`cache/avatars/${ANY}/static.webp`)];
  ctx.db.transaction((tx) => {
    tx.run("UPDATE media_attachments SET source = $source WHERE small = file", { source: clip.slice("media/".length) });
    tx.run(
      `INSERT INTO remote_files (kind, owner_id, form, version, file, still, bytes, used_at)
       VALUES ('avatars', 1, 'original', '', $file, $still, 8, 1)`,
      { file, still },
    );
  });
  const files = everyFile();
  expect(files.length).toBeGreaterThan(7);
  for (const file of files) age(file, 3 * DAY);
  await sweep();
  expect(everyFile()).toEqual(files);
});

test("files outside the sweep's folders stay", async () => {
  const files = [
    orphan("media/notes.txt"),
    orphan("media/attachments/notes.txt"),
    orphan("media/mine/ab/x/original.png"),
    orphan(`media/attachments/${ANY}/album/original.png`),
  ];
  age(`media/attachments/${ANY}/album`, 3 * DAY);
  await sweep();
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});

test("the sweep handles many files in several jobs, and starts again the next day", async () => {
  const files = Array.from({ length: 150 }, (_, at) => orphan(`media/attachments/${at + 100}/x/original.png`));
  const { ctx, clock } = server;
  ctx.db.transaction((tx) => schedule(ctx, tx, "media.sweep", clock.now()));
  await server.drain();
  expect(files.filter(isThere).length).toBe(86);
  await sweep();
  expect(files.filter(isThere)).toEqual([]);
  const next = ctx.db.all<{ run_at: number }>("SELECT run_at FROM jobs WHERE kind = 'media.sweep'");
  expect(next.map(({ run_at }) => new Date(run_at).toISOString())).toEqual(["2026-11-22T00:00:00.000Z"]);
});
