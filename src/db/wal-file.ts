import { open, type FileHandle } from "node:fs/promises";

/** The write-ahead log of an open database. */
export class WalFile {
  private constructor(private readonly file: FileHandle) {}

  /** The file exists while a connection is open that has written something. */
  static async open(database: string): Promise<WalFile> {
    // Windows syncs only files that are open for writing.
    return new WalFile(await open(`${database}-wal`, "r+"));
  }

  /**
   * Resolves when all that was committed before the call is on disk. Unlike a commit with `synchronous=FULL`, it doesn't
   * block the thread. If SQLite has moved pages to the database file since, it has synced that file.
   */
  sync(): Promise<void> {
    return this.file.datasync();
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
