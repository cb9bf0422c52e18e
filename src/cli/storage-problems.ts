import { readConfig } from "../config.ts";
import { diskFullIn, isDiskFull } from "../errors.ts";

/** Messages that say what to do, by the error codes of SQLite. `isDiskFull()` has those of a full disk. */
const PROBLEMS: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/,
    (folder) => `${folder}/linnet.db can't be opened. It and its folder must belong to the user who runs this.`,
  ],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    (folder) =>
      `${folder}/linnet.db is damaged or not a database. Move it away and restore a backup: linnet restore FOLDER.`,
  ],
  [/^SQLITE_(IOERR|PROTOCOL)/, (folder) => `The disk failed to read or write in ${folder}. Check the disk.`],
  [/^SQLITE_BUSY/, (folder) => `Another program is using ${folder}/linnet.db. Stop it, or try again.`],
];

/** Describes the problem with the data folder and its remedy; null for other errors. */
export function storageProblem(error: unknown): string | null {
  if (isDiskFull(error)) return diskFullIn(readConfig(Bun.env).data);
  const code = String((error as { code?: unknown } | null)?.code);
  const found = PROBLEMS.find(([pattern]) => pattern.test(code));
  return found ? found[1](readConfig(Bun.env).data) : null;
}
