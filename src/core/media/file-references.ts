import type { Reads } from "../../db/open.ts";

/** A column that contains file names. */
interface Reference {
  /** The tables of the query; `column` contains the file name. */
  from: string;
  column: string;
  /** Repeats the condition of a partial index, so that SQLite uses it. */
  where?: string;
}

const SITE_PICTURES: Reference = {
  from: "server_state s, json_each(s.value, '$.files') f",
  column: "f.value",
  where: "s.name IN ('picture.thumbnail', 'picture.icon')",
};

const COPIES: Reference[] = [
  { from: "remote_files", column: "file", where: "file IS NOT NULL" },
  { from: "remote_files", column: "still", where: "still IS NOT NULL" },
];

/** Every column that names a file, by the area (folder) of these files. */
const REFERENCES: Record<string, Reference[]> = {
  attachments: [
    { from: "media_attachments", column: "file", where: "file IS NOT NULL" },
    { from: "media_attachments", column: "small", where: "small <> file" },
    { from: "media_attachments", column: "source", where: "source IS NOT NULL" },
  ],
  avatars: [
    { from: "accounts", column: "avatar", where: "avatar GLOB 'avatars/*'" },
    { from: "accounts", column: "avatar_static", where: "avatar_static GLOB 'avatars/*'" },
  ],
  "cache/attachments": COPIES,
  "cache/avatars": COPIES,
  "cache/cards": COPIES,
  "cache/emojis": COPIES,
  "cache/headers": COPIES,
  emojis: [
    { from: "custom_emojis", column: "image", where: "image IS NOT NULL" },
    { from: "custom_emojis", column: "static_image", where: "static_image IS NOT NULL" },
  ],
  headers: [
    { from: "accounts", column: "header", where: "header GLOB 'headers/*'" },
    { from: "accounts", column: "header_static", where: "header_static GLOB 'headers/*'" },
  ],
  site: [SITE_PICTURES],
};

/** The areas: folders below `media/` or, for `cache/…`, beside it. */
export const FILE_AREAS: readonly string[] = Object.keys(REFERENCES);

/** The files that no row references. All of them must be in this area. */
export function unreferencedFiles(db: Reads, area: string, files: readonly string[]): string[] {
  const isReferenced = REFERENCES[area]!.map(
    ({ from, column, where = "true" }) => `EXISTS (SELECT 1 FROM ${from} WHERE ${column} = j.value AND ${where})`,
  ).join(" OR ");
  return db
    .all<{ file: string }>(`SELECT j.value AS file FROM json_each($files) j WHERE NOT (${isReferenced})`, {
      files: JSON.stringify(files),
    })
    .map(({ file }) => file);
}

/**
 * Every file below `media/` that a row references, without duplicates. Leaves out `cache/`, whose files can be fetched
 * again.
 */
export function referencedMedia(db: Reads): string[] {
  const kept = Object.entries(REFERENCES).filter(([area]) => !area.startsWith("cache/"));
  const queries = kept.flatMap(([, references]) =>
    references.map(({ from, column, where = "true" }) => `SELECT ${column} AS file FROM ${from} WHERE ${where}`),
  );
  return db.all<{ file: string }>(queries.join(" UNION ")).map(({ file }) => file);
}
