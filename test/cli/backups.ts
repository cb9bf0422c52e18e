import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "bun:test";
import { ROOT } from "../support/program.ts";
import type { Folder } from "./folder.ts";

/* Reads and changes data folders and backups directly. */

export function withDatabase<T>(data: string, work: (db: Database) => T): T {
  const db = new Database(join(data, "linnet.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Creates a data folder with an account, alice. */
export async function begin(folder: Folder): Promise<string> {
  await folder.createUser("alice");
  return join(folder.path, "linnet-data");
}

/** Adds an upload: a file in the media folder and its row. Returns the path in the data folder. */
export function addUpload(data: string, name: string, content: string | Uint8Array): string {
  const file = `attachments/${name.slice(0, 2)}/${name}/original.png`;
  const path = join(data, "media", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  withDatabase(data, (db) =>
    db
      .query(
        `INSERT INTO media_attachments (account_id, type, content_type, file, file_size, width, height, small, small_width,
         small_height, created_at)
       SELECT id, 'image', 'image/png', $file, $size, 1, 1, $file, 1, 1, 0 FROM accounts LIMIT 1`,
      )
      .run({ file, size: content.length }),
  );
  return `media/${file}`;
}

/** Deletes an upload like the server: first the row, then the file. */
export function deleteUpload(data: string, path: string): void {
  withDatabase(data, (db) => db.query("DELETE FROM media_attachments WHERE 'media/' || file = $path").run({ path }));
  rmSync(join(data, path));
}

export function uploadsIn(data: string): string[] {
  return withDatabase(data, (db) =>
    db.query<{ file: string }, []>("SELECT 'media/' || file AS file FROM media_attachments ORDER BY file").all(),
  ).map(({ file }) => file);
}

/** The paths of the complete backups in a folder, oldest first. */
export function backupsIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^\d{4}-/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

export function filesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => statSync(join(folder, path)).isFile()).sort();
}

interface Manifest {
  files: Record<string, { size: number; sha256: string }>;
}

export function manifestOf(backup: string): Manifest {
  return JSON.parse(readFileSync(join(backup, "manifest.json"), "utf8")) as Manifest;
}

/** Checks that a backup is complete: all files match the manifest, and all uploads in the database are present. */
export function expectWhole(backup: string): void {
  const { files } = manifestOf(backup);
  for (const [path, { size, sha256 }] of Object.entries(files)) {
    const bytes = readFileSync(join(backup, path));
    const found = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    expect([path, bytes.length, found]).toEqual([path, size, sha256]);
  }
  expect(filesIn(backup)).toEqual(["manifest.json", ...Object.keys(files)].sort());
  const problems = withDatabase(backup, (db) => db.query("PRAGMA integrity_check").all());
  expect(problems).toEqual([{ integrity_check: "ok" }]);
  const media = Object.keys(files).filter((path) => path.startsWith("media/"));
  expect(media.sort()).toEqual(uploadsIn(backup));
}

/** The commands in a section of a Markdown page: those of its shell blocks, and the lines of its crontab. */
export function commandsIn(page: string, section: string): { shell: string[]; cron: string[] } {
  const markdown = readFileSync(join(ROOT, page), "utf8");
  const text = new RegExp(`^## ${section}\n([^]*?)(?:^##|(?![^]))`, "m").exec(markdown)![1]!;
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```/gm)].map(([, language, body]) => ({
    language,
    lines: body!.trim().split("\n"),
  }));
  return {
    shell: blocks.filter(({ language }) => language === "sh").flatMap(({ lines }) => lines),
    cron: blocks.filter(({ language }) => language === "").flatMap(({ lines }) => lines),
  };
}
