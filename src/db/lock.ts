import type { Database } from "bun:sqlite";
import { DatabaseLockedRefusal } from "../errors.ts";

/** How long a write waits for a lock of another process, in milliseconds. */
export const PATIENCE = 5000;

/** How long a server may block its only thread, in ms: enough for a command that commits a row, too short to notice. */
const BLOCKING_PATIENCE = 10;
const POLL_INTERVAL = 20;

/** Another process holds SQLite's write lock. Thrown by a write of a server; `whenWritable()` repeats it. */
export class Locked extends Error {
  constructor() {
    super("another process holds the database's write lock");
  }
}

/**
 * SQLite's write lock, which another process may hold. A command blocks until it gets the lock. A server must not
 * block, since all its requests share one thread: there a write throws, and a poller detects when the lock is free.
 */
export class DatabaseLock {
  private blocks = true;
  private patience = PATIENCE;
  private closed = false;
  /** Resolves when the lock has been released; null while another process is not known to hold it. */
  private released: Promise<void> | null = null;

  constructor(private readonly raw: Database) {}

  neverBlock(patience = PATIENCE): void {
    this.blocks = false;
    this.patience = patience;
    this.raw.run(`PRAGMA busy_timeout = ${BLOCKING_PATIENCE}`);
  }

  close(): void {
    this.closed = true;
  }

  /** Runs `begin`, which takes the lock, and throws if another process has it. */
  take(begin: () => void): void {
    if (this.released) throw new Locked();
    try {
      begin();
    } catch (error) {
      if (this.blocks || !isBusy(error)) throw error;
      this.released = this.poll();
      throw new Locked();
    }
  }

  /** See `Db.whenWritable()`. */
  async whenFree<T>(work: () => T | Promise<T>): Promise<T> {
    // Only waiting counts: the work may take long before its first write.
    let left = this.patience;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Locked)) throw error;
      }
      const started = performance.now();
      if (this.released) await Promise.race([this.released, Bun.sleep(left)]);
      left -= performance.now() - started;
      if (left <= 0) throw new DatabaseLockedRefusal();
    }
  }

  private async poll(): Promise<void> {
    do await Bun.sleep(POLL_INTERVAL);
    while (!this.closed && !this.isFree());
    this.released = null;
  }

  private isFree(): boolean {
    // In the middle of a snapshot this connection can't test the lock. Then the next write tests it.
    if (this.raw.inTransaction) return true;
    try {
      this.raw.run("PRAGMA busy_timeout = 0");
      this.raw.run("BEGIN IMMEDIATE");
      this.raw.run("COMMIT");
      return true;
    } catch (error) {
      // The next write meets any other error, and says what it is.
      return !isBusy(error);
    } finally {
      this.raw.run(`PRAGMA busy_timeout = ${BLOCKING_PATIENCE}`);
    }
  }
}

/** SQLite has several codes for a lock: https://www.sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY");
}
