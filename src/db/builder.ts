import { and, asc, type Column, desc, is, Placeholder, sql, type SQL, type SQLWrapper } from "drizzle-orm";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { SQLiteSyncDialect, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { newestFirst, type Page, type Side, sideOf, withPage } from "./keyset.ts";
import type { Params, Reads, Tx, Value } from "./open.ts";

/*
 * Drizzle builds the statements whose shape depends on input; `Db` runs them, like all others. Building one takes about
 * 0.1 ms, so frequent ones are built once for each shape (`Shaped`, `ShapedKeyset`).
 */

/** Drizzle's builder. It has no connection: its queries are run by the functions below. */
export const build: Pick<BunSQLiteDatabase, "select" | "selectDistinct" | "insert" | "update" | "delete"> =
  drizzle.mock();

/** A query of the builder, with the type of its rows. */
export interface Query<Row> extends SQLWrapper {
  readonly _: { readonly result: Row[] };
}

/** A statement, and the values that it was built with, if any. Other parameters are given when it runs. */
interface Compiled {
  sql: string;
  values: Params | null;
}

/** Writes parameters as everywhere in Linnet: with names, and with the plus that keeps a statement prepared. */
class NamedParameters extends SQLiteSyncDialect {
  override escapeParam(at: number, value?: unknown): string {
    return is(value, Placeholder) ? `+$${value.name}` : `+$value${at}`;
  }
}

const DIALECT = new NamedParameters();

function compile(query: SQLWrapper): Compiled {
  const { sql: text, params } = DIALECT.sqlToQuery(query.getSQL());
  const values = params.flatMap((value, at) => (is(value, Placeholder) ? [] : [[`value${at}`, value as Value]]));
  return { sql: text, values: values.length > 0 ? Object.fromEntries(values) : null };
}

/** An SQL condition such as `visibleTo()`. Its parameters keep their names, and get their values when it runs. */
export function condition(text: string): SQL {
  return sql.raw(`(${text})`);
}

/** Runs a statement that changes rows. */
export function execute(tx: Tx, query: SQLWrapper): void {
  const { sql: text, values } = compile(query);
  tx.run(text, values ?? {});
}

/** The same for a statement with `returning()`. */
export function executeReturning<Row>(tx: Tx, query: Query<Row>): Row[] {
  const { sql: text, values } = compile(query);
  return tx.all<Row>(text, values ?? {});
}

/** Changes the given columns; undefined ones keep their values. */
export function updateGiven<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  columns: Partial<Table["$inferInsert"]>,
  where: SQL,
): void {
  if (Object.values(columns).every((value) => value === undefined)) return;
  execute(tx, build.update(table).set(columns).where(where));
}

/** A query of which there are a few shapes, each built at its first use. */
export class Shaped<Shape extends Record<keyof Shape, string | boolean>, Row> {
  private readonly compiled = new Map<string, Compiled>();

  /** Each combination of a shape's values is kept, so there must be few; their order is always the same. */
  constructor(private readonly queryOf: (shape: Shape) => Query<Row>) {}

  /** `params` may contain more than this shape needs. */
  all(db: Reads, shape: Shape, params: Params): Row[] {
    const key = Object.values(shape).join();
    let compiled = this.compiled.get(key);
    if (!compiled) {
      compiled = compile(this.queryOf(shape));
      this.compiled.set(key, compiled);
    }
    const { sql: text, values } = compiled;
    return db.all<Row>(text, values ? { ...params, ...values } : params);
  }
}

/** A query of the builder before its WHERE clause. */
interface Unfiltered<Row> {
  where(condition: SQL | undefined): {
    orderBy(column: SQL): { limit(limit: Placeholder): Query<Row> };
  };
}

/** A list without the bounds of a page. */
export interface ListQuery<Row> {
  select: Unfiltered<Row>;
  /** Undefined ones are left out. */
  where: (SQL | undefined)[];
  /** The column that pages are cut by. */
  cursor: Column;
}

/** A `Keyset` whose query has shapes. */
export class ShapedKeyset<Shape extends Record<keyof Shape, string | boolean>, Row extends object> {
  private readonly query: Shaped<Shape & { side: Side }, Row>;

  constructor(listOf: (shape: Shape & { side: Side }) => ListQuery<Row>) {
    this.query = new Shaped((shape) => {
      const { select, where, cursor } = listOf(shape);
      return select
        .where(and(...where, sql`${cursor} > +$lowest AND ${cursor} < +$highest`))
        .orderBy(shape.side === "newest" ? desc(cursor) : asc(cursor))
        .limit(sql.placeholder("limit"));
    });
  }

  page(db: Reads, page: Page, shape: Shape, params: Params): Row[] {
    const side = sideOf(page);
    return newestFirst(side, this.query.all(db, { ...shape, side }, withPage(page, params)));
  }
}
