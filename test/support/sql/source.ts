import { join } from "node:path";
import { API, type Checker, type Project, SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import type { CallExpression, Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isPropertyAccessExpression,
} from "typescript/unstable/ast/is";

// TypeScript calls its API unstable. Its version is pinned in package.json, and only this folder uses it.

const ROOT = join(import.meta.dir, "../../..");

/** The program in src/ as the TypeScript compiler sees it. */
export interface Source {
  checker: Checker;
  files: SourceFile[];
  /** The calls in src/ by the name of the called function or method. */
  calls: Map<string, CallExpression[]>;
  /** The declarations of names that were looked up before. */
  declarations: Map<Node, Node | null>;
}

/** Opens the compiler, and closes it after `use`. */
export async function withSource<T>(use: (source: Source) => Promise<T>): Promise<T> {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });
    const [project] = snapshot.getProjects();
    return await use(await read(project!));
  } finally {
    await api.close();
  }
}

async function read({ program, checker, rootFiles }: Project): Promise<Source> {
  const names = rootFiles.filter((name) => name.startsWith(join(ROOT, "src/")));
  const files = (await Promise.all(names.map((name) => program.getSourceFile(name)))).map((file) => file!);
  const calls = new Map<string, CallExpression[]>();
  for (const node of files.flatMap((file) => [...descendants(file)])) {
    if (!isCallExpression(node)) continue;
    const name = nameOf(node);
    if (name !== null) calls.set(name, [...(calls.get(name) ?? []), node]);
  }
  return { checker, files, calls, declarations: new Map() };
}

/** All nodes below this one, in the order of the text. */
export function* descendants(node: Node): Generator<Node> {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* descendants(child);
  }
}

/** The nodes around this one, from the innermost to the file. */
export function* ancestors(node: Node): Generator<Node> {
  for (let { parent } = node; parent; { parent } = parent) yield parent;
}

function nameOf({ expression }: CallExpression): string | null {
  if (isIdentifier(expression)) return expression.text;
  return isPropertyAccessExpression(expression) ? expression.name.text : null;
}

/** The file and line of a node, as `core/accounts.ts:28`. */
export function placeOf(node: Node): string {
  const file = node.getSourceFile();
  const line = file.text.slice(0, node.getStart(file)).split("\n").length;
  return `${file.fileName.slice(join(ROOT, "src/").length)}:${line}`;
}

/** Where a name is declared; imports are followed. */
export async function declarationOf(source: Source, name: Node): Promise<Node | null> {
  const known = source.declarations.get(name);
  if (known !== undefined) return known;
  const declaration = await findDeclaration(source, name);
  source.declarations.set(name, declaration);
  return declaration;
}

async function findDeclaration({ checker }: Source, node: Node): Promise<Node | null> {
  let symbol: Symbol | undefined = await checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & SymbolFlags.Alias) symbol = await checker.getAliasedSymbol(symbol);
  const [declaration] = symbol?.declarations ?? [];
  return (await declaration?.resolve()) ?? null;
}

/** The members of a union, or the type itself. */
export async function membersOf(type: Type): Promise<readonly Type[]> {
  return type.isUnionType() ? ((await type.getTypes()) ?? []) : [type];
}

/** A node's identity. */
export function keyOf(node: Node): string {
  return `${node.getSourceFile().fileName}:${node.pos}`;
}

/** The source of a node on one line. */
export function textOf(node: Node): string {
  return node.getText().replaceAll(/\s+/g, " ");
}

/** The file and name of the outermost function or class that contains a node, as `core/accounts.ts findAccount`. */
export function functionName(node: Node): string {
  const [file] = placeOf(node).split(":");
  const outermost = [...ancestors(node)].at(-2) ?? node;
  const name = isFunctionDeclaration(outermost) || isClassDeclaration(outermost) ? outermost.name : null;
  return name ? `${file} ${name.text}` : file!;
}
