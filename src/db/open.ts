import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { DatabaseLock, PATIENCE } from "./lock.ts";
import { WalFile } from "./wal-file.ts";

export type Value = string | number | null;

/** The values of a statement's parameters, by name: `{ id }` for `$id`. */
export type Params = Readonly<Record<string, Value>>;
const NONE: Params = {};

/** Several times the number of fixed statements. Updates of given columns have a text for each combination of them. */
const MAX_PREPARED = 2000;

/** Queries, inside and outside of transactions. Statements are prepared once and cached. */
export interface Reads {
  all<Row>(sql: string, params?: Params): Row[];
  get<Row>(sql: string, params?: Params): Row | null;
}

/** Operations that are only possible inside a transaction. */
export interface Tx extends Reads {
  run(sql: string, params?: Params): { changes: number; lastInsertRowid: number };
  /** Runs at the end of the outermost transaction, once per key: the last `work` given for a key counts. */
  beforeCommit(key: string, work: () => void): void;
  /** Collects an item. At the end of the outermost transaction, `write` gets all items of the key, in order. */
  collect<Item>(key: string, item: Item, write: (items: readonly Item[]) => void): void;
  /** Runs after the outermost transaction has been committed; does not run after a rollback. */
  afterCommit(effect: () => void): void;
}

interface Collection {
  items: unknown[];
  write(items: readonly unknown[]): void;
}

interface QueuedWrite {
  work: (tx: Tx) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

export class Db implements Reads {
  /** How many statements were run, for tests that a page takes a constant number of queries. */
  statements = 0;
  private readonly prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  private depth = 0;
  /** Reports an after-commit effect that threw. The context sends it to the log. */
  onEffectError: (error: unknown) => void = (error) => console.error(error);
  private readonly lock: DatabaseLock;
  /** True between `beginSnapshot()` and the end of the synchronous code that called it. */
  private inSnapshot = false;
  private snapshots = 0;
  private beforeCommits: { key: string; work: () => void }[] = [];
  private readonly collections = new Map<string, Collection>();
  private effects: (() => void)[] = [];
  private queued: QueuedWrite[] = [];
  private isGroupComing = false;
  /** Settles when the last group is on disk, or couldn't be synced. */
  private lastSync: Promise<unknown> = Promise.resolve();
  /** Set after the first group commit, unless syncing is up to SQLite. */
  private wal: WalFile | null = null;
  private readonly tx: Tx;
  private readonly control: Record<"begin" | "beginWriting" | "commit", Statement<unknown, []>>;
  private readonly endSnapshotLater = () => this.endSnapshot();

  constructor(
    readonly raw: Database,
    private readonly synchronous: Synchronous = "NORMAL",
  ) {
    this.lock = new DatabaseLock(raw);
    this.control = {
      begin: raw.prepare("BEGIN"),
      beginWriting: raw.prepare("BEGIN IMMEDIATE"),
      commit: raw.prepare("COMMIT"),
    };
    this.tx = {
      all: (sql, params) => this.all(sql, params),
      get: (sql, params) => this.get(sql, params),
      run: (sql, params = NONE) => {
        const { changes, lastInsertRowid } = this.statement(sql).run(params);
        return { changes, lastInsertRowid: Number(lastInsertRowid) };
      },
      beforeCommit: (key, work) => void this.beforeCommits.push({ key, work }),
      collect: (key, item, write) => this.collect(key, item, write as Collection["write"]),
      afterCommit: (effect) => void this.effects.push(effect),
    };
  }

  /** Identifies the open snapshot, in which nothing can change; null if there is none. */
  get snapshot(): number | null {
    return this.inSnapshot ? this.snapshots : null;
  }

  get isWriting(): boolean {
    return this.depth > 0;
  }

  all<Row>(sql: string, params: Params = NONE): Row[] {
    this.beginSnapshot();
    return this.statement(sql).all(params) as Row[];
  }

  get<Row>(sql: string, params: Params = NONE): Row | null {
    this.beginSnapshot();
    return this.statement(sql).get(params) as Row | null;
  }

  /**
   * Runs `work` in one transaction, which commits as a whole or not at all. `work` is synchronous: if it awaited,
   * writes of other requests would end up in its transaction. Inside another transaction it becomes part of that one.
   *
   * With `isSynced: false`, a power failure may undo it, unless a later transaction was synced to disk; in return, it
   * doesn't wait for the disk, which would block all requests. This is for jobs: their row is on disk, and is deleted in
   * the same transaction, so the work would be done again.
   */
  transaction<T>(work: (tx: Tx) => T, { isSynced = true }: { isSynced?: boolean } = {}): T {
    if (this.depth > 0) return work(this.tx);
    const result = isSynced ? this.write(work) : this.writeUnsynced(work);
    this.runEffects(this.takeEffects());
    return result;
  }

  /**
   * From now on, while another process holds the lock, writes throw at once instead of blocking this process, and
   * `whenWritable()` waits for the lock for at most `patience` milliseconds.
   */
  neverBlock(patience?: number): void {
    this.lock.neverBlock(patience);
  }

  /**
   * Runs `work`, and runs it again after another process has released the write lock, without blocking the event loop.
   * `work` must be safe to repeat up to its first transaction, which throws before it writes anything.
   *
   * @throws DatabaseLockedRefusal if the lock is held for too long.
   */
  whenWritable<T>(work: () => T | Promise<T>): Promise<T> {
    return this.lock.whenFree(work);
  }

  private write<T>(work: (tx: Tx) => T): T {
    this.endSnapshot();
    this.lock.take(() => this.control.beginWriting.run());
    this.depth = 1;
    try {
      const result = work(this.tx);
      for (const end of new Map(this.beforeCommits.map((ending) => [ending.key, ending.work])).values()) end();
      for (const { items, write } of this.collections.values()) write(items);
      this.control.commit.run();
      return result;
    } catch (error) {
      this.effects = [];
      if (this.raw.inTransaction) this.raw.run("ROLLBACK");
      throw error;
    } finally {
      this.depth = 0;
      this.beforeCommits = [];
      this.collections.clear();
    }
  }

  private collect(key: string, item: unknown, write: Collection["write"]): void {
    const collection = this.collections.get(key);
    if (collection) collection.items.push(item);
    else this.collections.set(key, { items: [item], write });
  }

  private writeUnsynced<T>(work: (tx: Tx) => T): T {
    if (this.synchronous === "NORMAL") return this.write(work);
    // SQLite refuses to change it while a snapshot is open.
    this.endSnapshot();
    this.raw.run("PRAGMA synchronous = NORMAL");
    try {
      return this.write(work);
    } finally {
      this.raw.run(`PRAGMA synchronous = ${this.synchronous}`);
    }
  }

  private takeEffects(): (() => void)[] {
    const effects = this.effects;
    this.effects = [];
    return effects;
  }

  /** Runs every effect, even if an earlier one throws: the write is committed, and each may be of another request. */
  private runEffects(effects: readonly (() => void)[]): void {
    for (const effect of effects) {
      try {
        effect();
      } catch (error) {
        this.onEffectError(error);
      }
    }
  }

  /**
   * A transaction for frequent, simultaneous writes: callbacks queued in the same event-loop tick, or while an earlier
   * group is being synced to disk, run one after the other, each whole or not at all, and share one commit. Resolves once
   * the commit is on disk, without blocking the thread until then. If one callback throws, all run again in transactions
   * of their own, so they must change nothing but the database.
   */
  groupCommit<T>(work: (tx: Tx) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queued.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.commitGroupLater();
    });
  }

  /**
   * Resolves when the groups that reads can see are on disk. Await it before confirming something because an earlier
   * request has written it: that one may still be waiting for the disk.
   */
  whenSynced(): Promise<void> {
    return this.groupCommit(() => {});
  }

  /**
   * Resolves when the group that is being synced is on disk. Await it before telling another server something that may
   * be part of it: after a power failure, that server would know more than this one. Costs nothing if there is none.
   */
  async untilSynced(): Promise<void> {
    await this.lastSync;
  }

  private commitGroupLater(): void {
    if (this.isGroupComing || this.queued.length === 0) return;
    this.isGroupComing = true;
    setImmediate(async () => {
      await this.commitGroup();
      this.isGroupComing = false;
      this.commitGroupLater();
    });
  }

  private async commitGroup(): Promise<void> {
    const works = this.queued.splice(0);
    const results = this.writeGroup(works);
    if (!results) return;
    const effects = this.takeEffects();
    const synced = this.sync();
    this.lastSync = synced.catch(() => {});
    try {
      await synced;
    } catch (error) {
      for (const { reject } of works) reject(error);
      return;
    }
    this.finishGroup(works, results, effects);
  }

  private finishGroup(works: readonly QueuedWrite[], results: unknown[], effects: readonly (() => void)[]): void {
    for (const [at, { resolve }] of works.entries()) resolve(results[at]);
    this.runEffects(effects);
  }

  /** Null if the callbacks could not be committed together: then each has been resolved or rejected. */
  private writeGroup(works: readonly QueuedWrite[]): unknown[] | null {
    let isBegun = false;
    const work = (tx: Tx) => {
      isBegun = true;
      return works.map((each) => each.work(tx));
    };
    try {
      return this.wal ? this.writeUnsynced(work) : this.write(work);
    } catch (error) {
      // A savepoint before each callback would undo only that one, but costs 9 µs per post.
      if (isBegun && works.length > 1) for (const each of works) this.runAlone(each);
      // Another process holds the lock: each callback would wait for it again, and block every request.
      else for (const { reject } of works) reject(error);
      return null;
    }
  }

  /** SQLite has synced the first group itself, and with it the folder, in which the file was new. */
  private async sync(): Promise<void> {
    if (this.wal) await this.wal.sync();
    else if (this.synchronous === "FULL" && !isInMemory(this.raw)) this.wal = await WalFile.open(this.raw.filename);
  }

  private runAlone({ work, resolve, reject }: QueuedWrite): void {
    try {
      resolve(this.transaction(work));
    } catch (error) {
      reject(error);
    }
  }

  /** Runs a statement that can't be part of a transaction, such as VACUUM. */
  alone(sql: string, params = NONE): void {
    this.endSnapshot();
    const statement = this.raw.prepare<unknown, [Params]>(sql);
    try {
      statement.run(params);
    } finally {
      statement.finalize();
    }
  }

  /** Copies the pages that were written to the database file: a long wait for the disk is cut into short ones. */
  checkpoint(): void {
    this.alone("PRAGMA wal_checkpoint(PASSIVE)");
  }

  close(): void {
    this.lock.close();
    void this.wal?.close();
    // SQLite syncs the last group itself.
    this.wal = null;
    const works = this.queued.splice(0);
    const results = works.length === 0 ? null : this.writeGroup(works);
    if (results) this.finishGroup(works, results, this.takeEffects());
    this.endSnapshot();
    for (const statement of [...this.prepared.values(), ...Object.values(this.control)]) statement.finalize();
    this.prepared.clear();
    this.raw.close();
  }

  /**
   * All reads up to the next `await` share one snapshot. They are consistent even if another process writes meanwhile,
   * and the file is locked once instead of per statement: locking takes 3 of the 4 µs of reading a row by its key.
   */
  private beginSnapshot(): void {
    if (this.depth > 0 || this.inSnapshot) return;
    this.control.begin.run();
    this.inSnapshot = true;
    this.snapshots += 1;
    queueMicrotask(this.endSnapshotLater);
  }

  private endSnapshot(): void {
    if (!this.inSnapshot) return;
    this.inSnapshot = false;
    try {
      this.control.commit.run();
    } catch {
      // After a read of a damaged page, it fails with the error that the caller of the read has got.
      if (this.raw.inTransaction) this.raw.run("ROLLBACK");
    }
  }

  private statement(sql: string): Statement<unknown, SQLQueryBindings[]> {
    this.statements += 1;
    let statement = this.prepared.get(sql);
    if (!statement) {
      if (this.prepared.size >= MAX_PREPARED) this.forgetOldestStatement();
      statement = this.raw.prepare(sql);
      this.prepared.set(sql, statement);
    }
    return statement;
  }

  private forgetOldestStatement(): void {
    const [sql, statement] = this.prepared.entries().next().value!;
    statement.finalize();
    this.prepared.delete(sql);
  }
}

function isInMemory({ filename }: Database): boolean {
  return filename === "" || filename === ":memory:";
}

export type Synchronous = "FULL" | "NORMAL";

/** Opens the file, or `:memory:`. */
export function openDatabase(path: string, synchronous: Synchronous): Db {
  return connect(new Database(path, { create: true, strict: true }), synchronous);
}

/** Opens a file that no process writes, such as the copy in a backup. Creates no files next to it. */
export function openReadOnly(path: string): Db {
  return new Db(new Database(path, { readonly: true, strict: true }));
}

function isEmpty(raw: Database): boolean {
  const count = raw.prepare<{ page_count: number }, []>("PRAGMA page_count");
  try {
    return count.get()!.page_count === 0;
  } finally {
    count.finalize();
  }
}

/** Configures a writable connection. */
export function connect(raw: Database, synchronous: Synchronous): Db {
  raw.run(`PRAGMA busy_timeout = ${PATIENCE}`);
  // Has to be the first to write to a new file. On an existing one, it would be a write at every start.
  if (isEmpty(raw)) raw.run("PRAGMA auto_vacuum = INCREMENTAL");
  raw.run("PRAGMA journal_mode = WAL");
  raw.run(`PRAGMA synchronous = ${synchronous}`);
  raw.run("PRAGMA foreign_keys = ON");
  raw.run("PRAGMA temp_store = MEMORY");
  raw.run("PRAGMA cache_size = -16384");
  // Most pages that a post changes are changed by the next one, too: fewer checkpoints halve the cost of a commit.
  raw.run("PRAGMA wal_autocheckpoint = 8000");
  return new Db(raw, synchronous);
}
