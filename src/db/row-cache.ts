import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";

type Key = number | string;
type Verb = "INSERT" | "UPDATE" | "DELETE";
/** The changed row in a trigger. */
type Row = "old" | "new";
/** A query for the keys of the entries that a changed row affects, in a column named `key`. */
type Keys = (row: Row) => string;
type ColumnOf<Table extends SQLiteTable> = keyof Table["$inferSelect"] & string;

/** The rows of a table from which entries are computed. */
interface Dependency {
  table: string;
  /** Entries stay valid if only other columns of a row are updated. */
  columns: readonly string[];
  verbs: readonly Verb[];
  keys: Keys;
  /** Whether an inserted row is a new entry, which will probably be read soon. */
  preloads: boolean;
}

/** A cache of values that are computed from rows. Its owner declares every row and column that a value depends on. */
export interface CacheSpec<K extends Key, Value> {
  /** Unique among all caches. */
  name: string;
  /** The number of entries. The oldest is dropped first: timelines are mostly read at their new end. */
  max: number;
  dependsOn: readonly Dependency[];
  /** Only carries the types of keys and values. */
  readonly types?: [K, Value];
}

/**
 * The row that an entry is about. Inserting it changes no existing entry. With `preload`, entries of new rows are loaded
 * together with the next missing one.
 */
export function ownRow<Table extends SQLiteTable>(
  table: Table,
  columns: readonly ColumnOf<Table>[],
  { key, preload = false }: { key: ColumnOf<Table>; preload?: boolean },
): Dependency {
  const verbs: Verb[] = preload ? ["INSERT", "UPDATE", "DELETE"] : ["UPDATE", "DELETE"];
  return { ...partRows(table, columns, key), columns, verbs, preloads: preload };
}

/** Rows that belong to an entry, such as attachments. `key` is their column with the entry's key, or a query. */
export function partRows<Table extends SQLiteTable>(
  table: Table,
  columns: readonly ColumnOf<Table>[],
  key: ColumnOf<Table> | Keys,
): Dependency {
  const isQuery = typeof key === "function";
  return {
    table: getTableName(table),
    columns: isQuery ? columns : [key, ...columns],
    verbs: ["INSERT", "UPDATE", "DELETE"],
    keys: isQuery ? key : (row) => `SELECT ${row}.${key} AS key`,
    preloads: false,
  };
}

/** Rows that the entry's rows refer to by foreign keys: only their updates matter, since other rows change otherwise. */
export function referencedRows<Table extends SQLiteTable>(
  table: Table,
  columns: readonly ColumnOf<Table>[],
  keys: Keys,
): Dependency {
  return { table: getTableName(table), columns, verbs: ["UPDATE"], keys, preloads: false };
}

const EVERY = "*";

/** For rare changes that may affect any entry. */
export const everyEntry: Keys = () => `SELECT '${EVERY}' AS key`;

/** How many new rows are noted: more than are posted in one event-loop tick. */
const MAX_NEW = 64;

/**
 * The entries of one cache. Reading from it first drops the entries whose rows have changed. Inside a transaction it
 * neither returns nor stores anything, since the transaction may be rolled back.
 */
export class RowCache<K extends Key, Value> {
  private readonly entries = new Map<K, Value>();
  private readonly newKeys = new Set<K>();
  private isInstalled = false;

  constructor(
    private readonly db: Db,
    private readonly spec: CacheSpec<K, Value>,
    private readonly refresh: () => void,
  ) {}

  /** The cached value, or that of `load`. A cached value that `isValid` rejects is loaded again. */
  get(key: K, load: () => Value, isValid: (value: Value) => boolean = () => true): Value {
    const cached = this.isUsable() ? this.entries.get(key) : undefined;
    if (cached !== undefined && isValid(cached)) return cached;
    const value = load();
    this.set(key, value);
    return value;
  }

  /**
   * The values of the keys, and of the keys that `related` names for cached values. `load` gets all keys that are
   * missing, and may return more than these: they are cached, too, and part of the result. Keys without a value are
   * missing in the result.
   */
  getMany(
    keys: Iterable<K>,
    load: (missing: ReadonlySet<K>) => Iterable<[K, Value]>,
    related: (value: Value) => K | null = () => null,
  ): Map<K, Value> {
    const values = new Map<K, Value>();
    const missing = new Set<K>();
    const isUsable = this.isUsable();
    const take = (key: K) => {
      const cached = isUsable ? this.entries.get(key) : undefined;
      if (cached === undefined) missing.add(key);
      else values.set(key, cached);
      return cached;
    };
    for (const key of keys) {
      const cached = take(key);
      const other = cached === undefined ? null : related(cached);
      if (other !== null) take(other);
    }
    if (missing.size === 0) return values;
    for (const [key, value] of load(isUsable ? missing.union(this.takeNewKeys()) : missing)) {
      this.set(key, value);
      values.set(key, value);
    }
    return values;
  }

  clear(): void {
    this.entries.clear();
    this.newKeys.clear();
  }

  /** Drops an entry whose rows have changed. */
  invalidate(key: K, isNew: boolean): void {
    if (key === EVERY) return this.entries.clear();
    this.entries.delete(key);
    if (!isNew) return;
    if (this.newKeys.size >= MAX_NEW) this.newKeys.clear();
    this.newKeys.add(key);
  }

  private takeNewKeys(): Set<K> {
    const keys = new Set(this.newKeys);
    this.newKeys.clear();
    return keys;
  }

  /** Values are loaded without a pause, so from the snapshot in which the cache was last refreshed. */
  private set(key: K, value: Value): void {
    if (this.db.isWriting) return;
    if (this.entries.size >= this.spec.max) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(key, value);
  }

  private isUsable(): boolean {
    if (this.db.isWriting) return false;
    if (!this.isInstalled) {
      for (const trigger of triggersOf(this.spec)) this.db.raw.run(trigger);
      this.isInstalled = true;
    }
    this.refresh();
    return true;
  }
}

const CHANGED = `
  CREATE TEMP TABLE changed (cache TEXT NOT NULL, key ANY NOT NULL, is_new INTEGER NOT NULL, PRIMARY KEY (cache, key))
  STRICT, WITHOUT ROWID`;
const STATE = `
  SELECT data_version AS version, EXISTS (SELECT 1 FROM temp.changed) AS changed FROM pragma_data_version`;
const TAKE_CHANGED = "DELETE FROM temp.changed RETURNING cache, key, is_new";

/** The caches of one database. Temporary triggers, derived from the declarations, note the keys of changed entries. */
export class RowCaches {
  private readonly caches = new Map<string, RowCache<Key, unknown>>();
  /** The snapshot of the last refresh: nothing can have changed in it since. */
  private snapshot: number | null = null;
  private version = -1;

  constructor(private readonly db: Db) {
    db.raw.run(CHANGED);
  }

  of<K extends Key, Value>(spec: CacheSpec<K, Value>): RowCache<K, Value> {
    let cache = this.caches.get(spec.name) as RowCache<K, Value> | undefined;
    if (!cache) {
      cache = new RowCache(this.db, spec, () => this.refresh());
      this.caches.set(spec.name, cache as RowCache<Key, unknown>);
    }
    return cache;
  }

  clear(): void {
    for (const cache of this.caches.values()) cache.clear();
  }

  private refresh(): void {
    if (this.snapshot !== null && this.snapshot === this.db.snapshot) return;
    const { version, changed } = this.db.get<{ version: number; changed: number }>(STATE)!;
    const changes = changed ? this.db.all<{ cache: string; key: Key; is_new: number }>(TAKE_CHANGED) : [];
    // Another process has written, and its changes are unknown.
    if (version !== this.version) this.clear();
    for (const { cache, key, is_new } of changes) this.caches.get(cache)!.invalidate(key, is_new === 1);
    this.version = version;
    this.snapshot = this.db.snapshot;
  }
}

const ROWS: Record<Verb, readonly Row[]> = { INSERT: ["new"], UPDATE: ["old", "new"], DELETE: ["old"] };

function triggersOf({ name, dependsOn }: CacheSpec<Key, unknown>): string[] {
  return dependsOn.flatMap(({ table, columns, verbs, keys, preloads }, at) =>
    verbs.map((verb) => {
      const isUpdate = verb === "UPDATE";
      const event = isUpdate ? `UPDATE OF ${columns.join(", ")}` : verb;
      const condition = isUpdate ? `WHEN ${columns.map((name) => `old.${name} IS NOT new.${name}`).join(" OR ")}` : "";
      const isNew = preloads && verb === "INSERT" ? 1 : 0;
      const notes = ROWS[verb].map(
        (row) => `
          INSERT INTO changed SELECT '${name}', key, ${isNew} FROM (${keys(row)}) WHERE key IS NOT NULL
          ON CONFLICT DO NOTHING;`,
      );
      return `
        CREATE TEMP TRIGGER ${name}_${at}_${verb} AFTER ${event} ON main.${table} ${condition}
        BEGIN ${notes.join("")} END`;
    }),
  );
}
