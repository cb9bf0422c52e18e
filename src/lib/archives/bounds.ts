import { Refusal } from "../../errors.ts";

/*
 * The bounds of archives. An archive comes from outside: its sizes are checked before anything is decompressed, and
 * again while it is.
 */

/** Files in an archive: enough for the media of many years, and few enough that their names fit into the memory. */
const MAX_FILES = 250_000;
const MAX_NAME = 1024;
/** JSON shrinks to a twentieth, a file of zeros to a thousandth. */
const MAX_RATIO = 200;
/** Small archives may shrink more. */
const ALWAYS_ALLOWED = 16 * 1024 * 1024;

/** An archive that can't be read, for a reason that the user can understand. */
export function badArchive(message: string): Refusal {
  return new Refusal("invalid", message);
}

export function damaged(): Refusal {
  return badArchive("The archive is damaged or incomplete. Download it again.");
}

/** The size of all files of an archive of `bytes` bytes. */
export function checkExpansion(bytes: number, expanded: number): void {
  if (expanded > MAX_RATIO * bytes + ALWAYS_ALLOWED) {
    throw badArchive("The archive would expand to far more data than an archive of posts contains.");
  }
}

/** The files of an archive by their names, with their sizes. */
export class FileList {
  private readonly sizes = new Map<string, number>();

  get files(): ReadonlyMap<string, number> {
    return this.sizes;
  }

  /** @throws Refusal unless the name is new, and the name of a file inside the archive */
  add(written: string, bytes: number): string {
    const name = insideName(written);
    if (this.sizes.has(name)) throw badArchive(`The archive contains two files with the name "${shown(name)}".`);
    if (this.sizes.size >= MAX_FILES) throw badArchive(`The archive contains more than ${MAX_FILES} files.`);
    this.sizes.set(name, bytes);
    return name;
  }
}

function insideName(written: string): string {
  const name = written.replace(/^(?:\.\/)+/, "");
  const parts = name.split("/");
  const isInside =
    name.length <= MAX_NAME &&
    !/[\\\p{Cc}]|^[a-z]:/iu.test(name) &&
    !parts.some((part) => part === ".." || part === "");
  if (!isInside)
    throw badArchive(`The archive contains a file with the name "${shown(written)}", which is not allowed.`);
  return name;
}

export function linkRefused(name: string): Refusal {
  return badArchive(`The archive contains the link "${shown(name)}" instead of a file.`);
}

function shown(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}]/gu, "?").slice(0, 100);
}
