import type { CallSite, Row, Statement } from "./call-sites.ts";
import { type Column, parametersOf, type Schema } from "./schema.ts";

/** Kinds of values that SQLite has. */
const KINDS = new Set(["number", "string", "Uint8Array", "null"]);

/** A difference between what a call says and what its SQL does. `about` is the name of a column or parameter. */
export interface Problem {
  about: string;
  text: string;
}

/** Compares the parameters and the row type of a call with its statements. */
export function problemsOf({ row, statements }: Pick<CallSite, "row" | "statements">, schema: Schema): Problem[] {
  const problems = new Map<string, Problem>();
  for (const statement of statements) {
    for (const problem of [...parameterProblems(statement), ...columnProblems(statement.sql, row, schema)]) {
      problems.set(problem.text, problem);
    }
  }
  return [...problems.values()];
}

/** bun:sqlite ignores superfluous parameters. */
function* parameterProblems({ sql, params }: Statement): Generator<Problem> {
  const named = parametersOf(sql);
  for (const name of named) if (!params.includes(name)) yield { about: name, text: `$${name} is not passed` };
  for (const name of params)
    if (!named.has(name)) yield { about: name, text: `$${name} is passed, but not in the SQL` };
}

function* columnProblems(sql: string, row: Row | null, schema: Schema): Generator<Problem> {
  const columns = schema.columns(sql);
  if (!row) return;
  const names = new Set(columns.map(({ name }) => name));
  for (const name of row.keys()) if (!names.has(name)) yield { about: name, text: `${name} is not selected` };
  for (const column of columns) {
    const kinds = row.get(column.name);
    if (kinds) yield* kindProblems(column, kinds);
    else yield { about: column.name, text: `${column.name} is selected, but not in the row type` };
  }
}

function* kindProblems({ name, kind, isNullable }: Column, kinds: Set<string>): Generator<Problem> {
  for (const each of kinds) {
    if (!KINDS.has(each)) yield { about: name, text: `${name} is never ${each}` };
    else if (kind && each !== "null" && each !== kind) yield { about: name, text: `${name} is ${kind}, not ${each}` };
  }
  if (isNullable === true && !kinds.has("null")) yield { about: name, text: `${name} can be null` };
  if (isNullable === false && kinds.has("null")) yield { about: name, text: `${name} is never null` };
}
