/*
 * Reads what EXPLAIN QUERY PLAN says: a tree of steps, each with the table behind its alias. Details that it does not
 * know are errors, so that no step of a plan is passed over.
 */
import type { Database } from "bun:sqlite";
import { parseSql, type Block } from "./sql/parse.ts";

export type Operation =
  /** A loop over all rows, in the order of an index if there is one. */
  | "SCAN"
  /** A loop over the rows that an index finds. */
  | "SEARCH"
  /** Rows put in order or made distinct, or a compound query without duplicates. */
  | "TEMP B-TREE"
  /** A table or index that IN looks values up in. */
  | "IN-OPERATOR"
  | "BLOOM FILTER"
  /** A query of its own; its steps are its children. */
  | "SUBQUERY"
  | "CO-ROUTINE"
  | "MATERIALIZE"
  /** A part that only groups its children. */
  | "PART";

export interface Step {
  operation: Operation;
  /** Its name in the plan: an alias, the number of a subquery, or the purpose of a b-tree. */
  name: string;
  /** The table behind an alias; null for what is no table, such as a subquery, a function or a constant. */
  table: string | null;
  /** The index, `PRIMARY KEY` or `rowid`; AUTOMATIC for one that is made for this query; null for none. */
  index: string | null;
  /** Comparisons that the index answers, such as `account_id=?`. */
  constraints: string[];
  children: Step[];
}

interface Row {
  id: number;
  parent: number;
  detail: string;
}

/** The tables of a database, and the table of each index. */
export interface Tables {
  names: ReadonlySet<string>;
  indexes: ReadonlyMap<string, string>;
}

export function tablesOf(db: Database): Tables {
  const rows = db
    .query<{ type: string; name: string; tbl_name: string }, []>(
      "SELECT type, name, tbl_name FROM sqlite_schema UNION ALL SELECT type, name, tbl_name FROM sqlite_temp_schema",
    )
    .all();
  return {
    names: new Set(rows.filter(({ type }) => type === "table").map(({ name }) => name)),
    indexes: new Map(rows.filter(({ type }) => type === "index").map((row) => [row.name, row.tbl_name])),
  };
}

/**
 * The plan of a statement.
 *
 * @throws if it has a detail of an unknown form, or an alias that could be more than one table.
 */
export function queryPlan(db: Database, sql: string, tables = tablesOf(db)): Step[] {
  const statement = db.prepare<Row, []>(`EXPLAIN QUERY PLAN ${sql}`);
  try {
    return planOf(statement.all(), sql, tables);
  } finally {
    statement.finalize();
  }
}

function planOf(rows: readonly Row[], sql: string, tables: Tables): Step[] {
  // VACUUM and the like have none.
  if (rows.length === 0) return [];
  const scopes = new Scopes(parseSql(sql), rows, tables);
  const stepsBelow = (parent: number, blocks: Block[]): Step[] =>
    rows
      .filter((row) => row.parent === parent)
      .map((row) => {
        const step = stepOf(row.detail);
        const loop = ["SCAN", "SEARCH"].includes(step.operation);
        if (loop) step.table = scopes.tableOf(step, blocks);
        return { ...step, children: stepsBelow(row.id, scopes.within(step, blocks)) };
      });
  return stepsBelow(0, [scopes.root]);
}

/** All steps of a plan, from top to bottom. */
export function stepsOf(plan: readonly Step[]): Step[] {
  return plan.flatMap((step) => [step, ...stepsOf(step.children)]);
}

const ACCESS = new RegExp(
  [
    /^(?<operation>SCAN|SEARCH) (?:main\.|temp\.)?(?<name>\(?[\w-]+\)?|(?:\d+ )?CONSTANT ROWS?)(?: EXISTS)?/,
    /(?: VIRTUAL TABLE INDEX (?<virtual>\S*))?/,
    /(?: USING (?:(?<automatic>AUTOMATIC (?:PARTIAL )?)?(?:COVERING )?INDEX(?: (?<index>\w+))?|(?<key>(?:INTEGER )?PRIMARY KEY)))?/,
    /(?: \((?<constraints>[^)]+)\))?(?: LEFT-JOIN)?$/,
  ]
    .map(({ source }) => source)
    .join(""),
);

/** The other details, with their names. */
const OTHERS: readonly (readonly [Operation, RegExp])[] = [
  ["TEMP B-TREE", /^USE TEMP B-TREE FOR (?<name>.+)$/],
  ["TEMP B-TREE", /^(?<name>UNION|INTERSECT|EXCEPT) USING TEMP B-TREE$/],
  ["IN-OPERATOR", /^USING ROWID SEARCH ON TABLE (?<name>(?<table>\w+)) FOR IN-OPERATOR$/],
  ["IN-OPERATOR", /^USING INDEX (?<name>(?<index>\w+)) FOR IN-OPERATOR$/],
  ["BLOOM FILTER", /^BLOOM FILTER ON (?<name>\w+) \((?<constraints>[^)]+)\)$/],
  ["BLOOM FILTER", /^(?<name>CREATE BLOOM FILTER)$/],
  ["SUBQUERY", /^(?:REUSE )?(?:CORRELATED )?(?:SCALAR|LIST) SUBQUERY (?<name>\d+)$/],
  ["CO-ROUTINE", /^CO-ROUTINE (?<name>.+)$/],
  ["MATERIALIZE", /^MATERIALIZE (?<name>.+)$/],
  ["PART", /^(?<name>COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|MERGE \(.+\)|LEFT|RIGHT|SETUP|RECURSIVE STEP)$/],
  ["PART", /^(?<name>MULTI-INDEX OR|INDEX \d+)$/],
];

export function stepOf(detail: string): Step {
  const access = ACCESS.exec(detail)?.groups;
  if (access) {
    const { operation, name, virtual, automatic, index, key, constraints } = access;
    const isRowid = key === "INTEGER PRIMARY KEY";
    return {
      operation: operation as Operation,
      name: name!,
      table: null,
      index: (automatic && "AUTOMATIC") ?? index ?? (isRowid ? "rowid" : key) ?? virtual ?? null,
      constraints: constraints?.split(" AND ") ?? [],
      children: [],
    };
  }
  for (const [operation, pattern] of OTHERS) {
    const found = pattern.exec(detail)?.groups;
    if (!found) continue;
    const { name, table = null, index = null, constraints } = found;
    return { operation, name: name!, table, index, constraints: constraints?.split(" AND ") ?? [], children: [] };
  }
  throw new Error(`a detail of an unknown form: ${detail}`);
}

/** Which query a step is part of, and so which table an alias means there. */
class Scopes {
  private readonly blocks: Block[];
  /** Queries with steps of their own. The tables of others appear among the steps of the query around them. */
  private readonly separate: ReadonlySet<Block>;

  constructor(
    readonly root: Block,
    rows: readonly Row[],
    private readonly tables: Tables,
  ) {
    this.blocks = allBlocks(root);
    const steps = rows.map(({ detail }) => stepOf(detail));
    this.separate = new Set(steps.flatMap((step) => (isQuery(step) ? this.named(step.name) : [])));
  }

  /** The queries that the children of a step belong to. */
  within(step: Step, blocks: Block[]): Block[] {
    if (!isQuery(step)) return blocks;
    const found = this.named(step.name);
    // A query that SQLite adds, for a foreign key for example, isn't in the text.
    return found.length > 0 ? found : blocks;
  }

  /**
   * The table that a loop reads, or null.
   *
   * @throws if the alias could be more than one.
   */
  tableOf({ name, index }: Step, blocks: Block[]): string | null {
    if (/^\(|CONSTANT ROW/.test(name)) return null;
    const ofIndex = this.tables.indexes.get(index ?? "");
    const all = blocks.flatMap((block) => this.meanings(block, name));
    const fitting = new Set(ofIndex === undefined ? all : all.filter((table) => table === ofIndex));
    // Foreign keys are followed in tables that the text doesn't name.
    if (all.length === 0 && this.tables.names.has(name)) return name;
    const [table, ...others] = fitting;
    if (table === undefined || others.length > 0) {
      throw new Error(`"${name}" is one of [${[...new Set(all)].join(", ")}], with the index ${index}`);
    }
    return table !== null && this.tables.names.has(table) ? table : null;
  }

  /** The tables that an alias stands for among the steps of a query; null for a query. */
  private meanings(block: Block, alias: string, seen = new Set<Block>()): (string | null)[] {
    if (seen.has(block)) return [];
    seen.add(block);
    const own = block.sources
      .filter((source) => same(source.alias, alias) || (source.block?.name && same(source.block.name, alias)))
      .map(({ table }) => table);
    const merged = [...block.sources.flatMap((source) => source.block ?? []), ...block.inner];
    const rest = merged.filter((inner) => !this.separate.has(inner));
    return [...own, ...rest.flatMap((inner) => this.meanings(inner, alias, seen))];
  }

  private named(name: string): Block[] {
    const id = Number(/^\(?(?:subquery-)?(\d+)\)?$/.exec(name)?.[1]);
    if (id) return this.blocks.filter(({ ids }) => ids.includes(id));
    const isCalled = (block: Block) => block.name !== null && same(block.name, name);
    const aliased = this.blocks.flatMap(({ sources }) => sources.filter(({ alias }) => same(alias, name)));
    return [...new Set([...this.blocks.filter(isCalled), ...aliased.flatMap(({ block }) => block ?? [])])];
  }
}

function isQuery({ operation }: Step): boolean {
  return operation === "SUBQUERY" || operation === "CO-ROUTINE" || operation === "MATERIALIZE";
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function allBlocks(block: Block, found = new Set<Block>()): Block[] {
  if (found.has(block)) return [];
  found.add(block);
  const inner = [...block.sources.flatMap((source) => source.block ?? []), ...block.inner];
  return [block, ...inner.flatMap((other) => allBlocks(other, found))];
}
