import { type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/async";
import type { CallExpression, Node, PropertyAccessExpression } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { Keyset, type Page } from "../../../src/db/keyset.ts";
import type { Reads } from "../../../src/db/open.ts";
import { everyWay } from "./choices.ts";
import { Evaluator, isCode, Unknown, type Value } from "./evaluator.ts";
import { descendants, functionName, membersOf, placeOf, type Source } from "./source.ts";

/** A statement as one call can run it. */
export interface Statement {
  sql: string;
  /** The names of the parameters that the call passes, without `$`. */
  params: string[];
}

/** The kinds of values in the rows of a call, by property, such as `number` and `null`. */
export type Row = Map<string, Set<string>>;

/** A call that runs SQL. */
export interface CallSite {
  place: string;
  /** The file and the function, for lists of exceptions. */
  within: string;
  /** Null if nothing reads the rows. */
  row: Row | null;
  statements: Statement[];
  /** Why the statements or the row aren't known. */
  unknown: string | null;
}

/** The files that define the methods that run SQL. They pass on what their callers write, which is checked there. */
const STATEMENTS = "/src/db/open.ts";
const LISTS = "/src/db/keyset.ts";
/** Drizzle derives its statements and rows from the schema, which another test compares with the tables. */
const BUILT = "/src/db/builder.ts";
/** Libraries whose methods cast rows, too: with a type argument, they would evade the check. */
const CASTS = new Set(["get", "all", "values", "query", "prepare"]);
const LIBRARIES = /\/(bun-types|drizzle-orm)\//;

type MethodCall = CallExpression & { expression: PropertyAccessExpression };

/** All calls in src/ that run SQL. */
export async function callSitesOf(source: Source): Promise<CallSite[]> {
  const sites: CallSite[] = [];
  for (const { call, file } of await callsOf(source)) {
    const site = { place: placeOf(call), within: functionName(call), row: null, statements: [], unknown: null };
    try {
      const row = await rowOf(source, call);
      const statements = await everyWay((choices) => statementsOf(new Evaluator(source, choices), call, file));
      sites.push({ ...site, row, statements: statements.flat() });
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      sites.push({ ...site, unknown: error.message });
    }
  }
  return sites;
}

/** The calls that run SQL, each with the file that declares the method. */
async function callsOf({ files, checker }: Source): Promise<{ call: MethodCall; file: string }[]> {
  const calls = files
    .filter(({ fileName }) => ![STATEMENTS, LISTS, BUILT].some((file) => fileName.endsWith(file)))
    .flatMap((file) => [...descendants(file)])
    .filter((node): node is MethodCall => is.isCallExpression(node) && is.isPropertyAccessExpression(node.expression));
  const methods = await checker.getSymbolAtLocation(calls.map(({ expression }) => expression.name));
  return calls
    .map((call, at) => ({ call, file: methods[at]?.declarations[0]?.path ?? "" }))
    .filter(({ call, file }) => {
      const name = call.expression.name.text;
      if (file.endsWith(STATEMENTS)) return ["get", "all", "run", "alone"].includes(name);
      return file.endsWith(LISTS) || (LIBRARIES.test(file) && CASTS.has(name) && call.typeArguments !== undefined);
    });
}

async function statementsOf(evaluator: Evaluator, call: MethodCall, file: string): Promise<Statement[]> {
  if (file.endsWith(LISTS)) return pagesOf(evaluator, call);
  if (!file.endsWith(STATEMENTS)) throw new Unknown(call, "is a cast that nothing checks");
  const [sql, params] = call.arguments;
  return [{ sql: await evaluator.text(sql!), params: params ? await evaluator.names(params) : [] }];
}

/** The statements that read a page of a list, in both directions. */
async function pagesOf(evaluator: Evaluator, { expression, arguments: args }: MethodCall): Promise<Statement[]> {
  const keyset = await keysetOf(evaluator, await evaluator.evaluate(expression.expression), expression);
  const given = Object.fromEntries((await evaluator.names(args[2]!)).map((name) => [name, null]));
  const statements: Statement[] = [];
  const db: Pick<Reads, "all"> = {
    all: (sql, params) => {
      statements.push({ sql, params: Object.keys(params!) });
      return [];
    },
  };
  const page: Page = { limit: 1, max_id: null, since_id: null, min_id: null };
  for (const min_id of [null, 1]) keyset.page(db as Reads, { ...page, min_id }, given);
  return statements;
}

async function keysetOf(evaluator: Evaluator, list: Value, node: Node): Promise<Keyset<object>> {
  if (!isCode(list) || !is.isNewExpression(list.node)) throw new Unknown(node);
  const [select, cursor] = list.node.arguments!;
  return new Keyset(await evaluator.text(select!, list.scope), await evaluator.text(cursor!, list.scope));
}

async function rowOf({ checker }: Source, call: MethodCall): Promise<Row | null> {
  const [explicit] = call.typeArguments ?? [];
  const around = is.isNonNullExpression(call.parent) ? call.parent.parent : call.parent;
  if (is.isAsExpression(around)) throw new Unknown(around, "is a cast that nothing checks");
  if (["run", "alone"].includes(call.expression.name.text)) return null;
  const type = explicit ? await checker.getTypeFromTypeNode(explicit) : await inferredRow(checker, call);
  const isObject = (each: Type) => each.isObjectType() || each.isIntersectionType();
  if (type && (await membersOf(type)).every(isObject)) {
    const row = await propertiesOf(checker, type);
    if (explicit || row.size > 0) return row;
  }
  // Without a type argument, TypeScript infers `unknown` or `boolean` where only the existence of a row matters.
  if (explicit) throw new Unknown(explicit, "is not a type with properties");
  return null;
}

async function inferredRow(checker: Checker, call: MethodCall): Promise<Type | null> {
  const result = await checker.getNonNullableType((await checker.getTypeAtLocation(call))!);
  if (!result?.isTypeReference() || !(await checker.isArrayType(result))) return result ?? null;
  return (await checker.getTypeArguments(result))[0]!;
}

async function propertiesOf(checker: Checker, type: Type): Promise<Row> {
  const row: Row = new Map();
  for (const property of await checker.getPropertiesOfType(type)) {
    const members = await membersOf((await checker.getTypeOfSymbol(property))!);
    const kinds = new Set(await Promise.all(members.map(kindOf)));
    row.set(property.name, property.flags & SymbolFlags.Optional ? kinds.add("undefined") : kinds);
  }
  return row;
}

async function kindOf(type: Type): Promise<string> {
  if (type.flags & TypeFlags.StringLike) return "string";
  if (type.flags & TypeFlags.NumberLike) return "number";
  if (type.flags & TypeFlags.BooleanLike) return "boolean";
  if (type.flags & TypeFlags.Null) return "null";
  return (await type.getSymbol())?.name ?? "unknown";
}
