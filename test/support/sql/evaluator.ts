import {
  type BindingPattern,
  type CallExpression,
  type ConditionalExpression,
  type FunctionLikeDeclaration,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import type { Choices } from "./choices.ts";
import { ancestors, declarationOf, descendants, keyOf, membersOf, placeOf, type Source, textOf } from "./source.ts";

/** The arguments of the calls that led to an expression, by the key of the parameter. */
type Scope = ReadonlyMap<string, () => Promise<Value>>;
const OUTERMOST: Scope = new Map();

/** A string, an array, or an expression that is neither: an object, a function, a `new`, or one that isn't known. */
export type Value = string | readonly Value[] | Code;

export interface Code {
  node: Node;
  scope: Scope;
}

/** An expression that can't be evaluated or checked. */
export class Unknown extends Error {
  constructor(node: Node, reason = "is known only when the program runs") {
    super(`"${textOf(node).slice(0, 80)}" in ${placeOf(node)} ${reason}`);
  }
}

/**
 * Evaluates the expressions that SQL is made of: constants, templates, conditions, members of objects and arrays, and
 * calls of functions that only return something. A parameter has the value that one of the function's callers passes.
 */
export class Evaluator {
  constructor(
    private readonly source: Source,
    private readonly choices: Choices,
  ) {}

  async text(node: Node, scope = OUTERMOST): Promise<string> {
    const value = await this.evaluate(node, scope);
    if (typeof value !== "string") throw new Unknown(isCode(value) ? value.node : node);
    return value;
  }

  /** The names of an object's properties. */
  async names(node: Node, scope = OUTERMOST): Promise<string[]> {
    const value = await this.evaluate(node, scope);
    if (!isCode(value)) throw new Unknown(node);
    if (!is.isObjectLiteralExpression(value.node)) return this.namesOfType(value.node);
    const names: string[] = [];
    for (const property of value.node.properties) {
      if (is.isSpreadAssignment(property)) names.push(...(await this.names(property.expression, value.scope)));
      else names.push(nameOf(property.name!));
    }
    return names;
  }

  async evaluate(node: Node, scope = OUTERMOST): Promise<Value> {
    if (is.isParenthesizedExpression(node) || is.isAsExpression(node) || is.isNonNullExpression(node)) {
      return this.evaluate(node.expression, scope);
    }
    if (is.isStringLiteralLikeNode(node) || is.isNumericLiteral(node)) return node.text;
    if (is.isTemplateExpression(node)) {
      const spans = node.templateSpans;
      const texts = await inOrder(spans, async (span) => (await this.text(span.expression, scope)) + span.literal.text);
      return node.head.text + texts.join("");
    }
    if (is.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.AsteriskToken) {
      return String(Number(await this.text(node.left, scope)) * Number(await this.text(node.right, scope)));
    }
    if (is.isConditionalExpression(node)) {
      const isTrue = (await this.isEqual(node.condition, scope)) ?? this.chooseBranch(node);
      return this.evaluate(isTrue ? node.whenTrue : node.whenFalse, scope);
    }
    if (is.isArrayLiteralExpression(node)) return this.ofArray(node.elements, scope);
    if (is.isIdentifier(node)) return this.ofName(node, scope);
    if (is.isPropertyAccessExpression(node)) {
      const owner = await this.evaluate(node.expression, scope);
      return (await this.member(owner, node.name.text)) ?? this.ofType(node, scope);
    }
    if (is.isElementAccessExpression(node)) {
      return (await this.oneOf(node, await this.evaluate(node.expression, scope))) ?? { node, scope };
    }
    if (is.isCallExpression(node)) return this.ofCall(node, scope);
    return { node, scope };
  }

  /** The value of `a === b` if both are known; null for every other condition. */
  private async isEqual(condition: Node, scope: Scope): Promise<boolean | null> {
    const isComparison = is.isBinaryExpression(condition);
    if (!isComparison || condition.operatorToken.kind !== SyntaxKind.EqualsEqualsEqualsToken) return null;
    const left = await this.evaluate(condition.left, scope);
    const right = await this.evaluate(condition.right, scope);
    return typeof left === "string" && typeof right === "string" ? left === right : null;
  }

  /** The same condition in one function has the same result. */
  private chooseBranch(node: ConditionalExpression): boolean {
    return this.choices.choose(keyOf(functionAround(node)) + textOf(node.condition), [true, false]);
  }

  private async namesOfType(node: Node): Promise<string[]> {
    const { checker } = this.source;
    const type = await checker.getTypeAtLocation(node);
    if (!type?.isObjectType() || (await checker.getIndexInfosOfType(type)).length > 0) throw new Unknown(node);
    return (await checker.getPropertiesOfType(type)).map(({ name }) => name);
  }

  private async ofArray(elements: readonly Node[], scope: Scope): Promise<Value[]> {
    const values = await inOrder(elements, async (element) => {
      if (!is.isSpreadElement(element)) return [await this.evaluate(element, scope)];
      const spread = await this.evaluate(element.expression, scope);
      return isCode(spread) || typeof spread === "string" ? [{ node: element, scope }] : spread;
    });
    return values.flat();
  }

  private async ofName(node: Node, scope: Scope): Promise<Value> {
    const declaration = await declarationOf(this.source, node);
    if (declaration && is.isFunctionDeclaration(declaration)) return { node: declaration, scope };
    const value = declaration && (await this.ofDeclaration(declaration, scope));
    return value ?? this.ofType(node, scope);
  }

  /** The value of a variable, a parameter or a part of one; null if it isn't known. */
  private async ofDeclaration(node: Node, scope: Scope): Promise<Value | null> {
    if (is.isBindingElement(node)) {
      const pattern = node.parent as BindingPattern;
      const whole = await this.ofDeclaration(pattern.parent, scope);
      if (whole === null) return null;
      const at = pattern.elements.findIndex((element) => element === node);
      const name = is.isArrayBindingPattern(pattern) ? String(at) : nameOf(node.propertyName ?? node.name!);
      const part = await this.member(whole, name);
      const isMissing = part === null && isCode(whole) && is.isObjectLiteralExpression(whole.node);
      return isMissing && node.initializer ? this.evaluate(node.initializer, scope) : part;
    }
    if (is.isParameterDeclaration(node)) return this.ofParameter(node, scope);
    if (!is.isVariableDeclaration(node)) return null;
    if (node.initializer) return this.evaluate(node.initializer, scope);
    const loop = node.parent.parent;
    if (!is.isForOfStatement(loop)) return null;
    return this.oneOf(loop, await this.evaluate(loop.expression, scope));
  }

  private async ofParameter(node: Node & { initializer?: Node }, scope: Scope): Promise<Value | null> {
    const bound = scope.get(keyOf(node));
    if (bound) return bound();
    const code = functionAround(node);
    if (!isFunction(code)) return null;
    const at = code.parameters.findIndex((parameter) => parameter === node);
    if (is.isCallExpression(code.parent)) return at === 0 ? this.ofCallback(code, code.parent, scope) : null;
    const callers = await this.callersOf(code);
    if (callers.length === 0) return null;
    const argument = this.choices.choose(keyOf(code), callers).arguments[at] ?? node.initializer;
    return argument ? this.evaluate(argument) : null;
  }

  /** The argument of a callback of `map()`, `flatMap()` or the like: one of the items. */
  private async ofCallback(code: Node, { expression }: CallExpression, scope: Scope): Promise<Value | null> {
    if (!is.isPropertyAccessExpression(expression)) return null;
    return this.oneOf(code, await this.evaluate(expression.expression, scope));
  }

  private async callersOf(code: FunctionLikeDeclaration): Promise<CallExpression[]> {
    const named = is.isVariableDeclaration(code.parent) ? code.parent : code;
    const callers: CallExpression[] = [];
    for (const call of this.source.calls.get("name" in named && named.name ? textOf(named.name) : "") ?? []) {
      const callee = is.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
      const declaration = await declarationOf(this.source, callee);
      const isRecursive = [...ancestors(call)].includes(code);
      if (declaration && keyOf(declaration) === keyOf(named) && !isRecursive) callers.push(call);
    }
    return callers;
  }

  private async ofCall(node: CallExpression, scope: Scope): Promise<Value> {
    const { expression: callee } = node;
    if (is.isPropertyAccessExpression(callee)) {
      const known = await this.ofMethod(callee.name.text, callee.expression, node.arguments, scope);
      return known ?? { node, scope };
    }
    const code = await this.evaluate(callee, scope);
    if (!isCode(code) || !isFunction(code.node)) return { node, scope };
    return this.result(code.node, code.scope, (at) => {
      const argument = node.arguments[at];
      return argument ? () => this.evaluate(argument, scope) : null;
    });
  }

  /** The methods of arrays and of Object that SQL is made with. */
  private async ofMethod(name: string, on: Node, args: readonly Node[], scope: Scope): Promise<Value | null> {
    if (name === "entries" && textOf(on) === "Object") {
      const value = await this.evaluate(args[0]!, scope);
      if (!isCode(value) || !is.isObjectLiteralExpression(value.node)) return null;
      const names = await this.names(value.node, value.scope);
      return inOrder(names, async (property) => [property, (await this.member(value, property))!]);
    }
    if (!["entries", "filter", "flatMap", "join", "map"].includes(name)) return null;
    const list = await this.evaluate(on, scope);
    // Any item may pass a filter.
    if (name === "filter") return list;
    if (name === "map" || name === "flatMap") {
      const code = await this.evaluate(args[0]!, scope);
      if (!isCode(code) || !isFunction(code.node) || typeof list === "string") return null;
      const body = code.node;
      // Of an unknown array, one unknown item is enough to see what the function makes of it.
      const results = await inOrder(isCode(list) ? [list] : list, (item) =>
        this.result(body, code.scope, (at) => (at === 0 ? () => Promise.resolve(item) : null)),
      );
      return name === "map" ? results : results.flatMap((result) => result);
    }
    if (typeof list === "string" || isCode(list)) return null;
    if (name === "entries") return list.map((item, at) => [String(at), item]);
    const separator = args[0] ? await this.text(args[0], scope) : ",";
    const texts = list.filter((item) => typeof item === "string");
    return texts.length === list.length ? texts.join(separator) : null;
  }

  /** The result of a call; `argument` says how to evaluate the argument at a position. */
  private async result(
    code: FunctionLikeDeclaration,
    outer: Scope,
    argument: (at: number) => (() => Promise<Value>) | null,
  ): Promise<Value> {
    const scope = new Map(outer);
    for (const [at, parameter] of code.parameters.entries()) {
      const { initializer } = parameter;
      const value = argument(at) ?? (initializer ? () => this.evaluate(initializer, scope) : null);
      if (value) scope.set(keyOf(parameter), value);
    }
    const { body } = code;
    if (!body || !is.isBlock(body)) return body ? this.evaluate(body, scope) : { node: code, scope };
    const returns = [...descendants(body)].filter(is.isReturnStatement);
    const results = returns.filter((node) => node.expression && functionAround(node) === code);
    if (results.length === 0) return { node: code, scope };
    return this.evaluate(this.choices.choose(`${keyOf(code)} returns`, results).expression!, scope);
  }

  private async member(value: Value, name: string): Promise<Value | null> {
    if (typeof value === "string") return null;
    if (!isCode(value)) return value[Number(name)] ?? null;
    const { node, scope } = value;
    if (!is.isObjectLiteralExpression(node)) return null;
    const property = node.properties.find((each) => !is.isSpreadAssignment(each) && nameOf(each.name!) === name);
    if (property && is.isPropertyAssignment(property)) return this.evaluate(property.initializer, scope);
    return property && is.isShorthandPropertyAssignment(property) ? { node: property, scope } : null;
  }

  /** One of the items of an array or of the values of an object; the same one for the same node. */
  private async oneOf(at: Node, value: Value): Promise<Value | null> {
    if (typeof value === "string") return null;
    if (!isCode(value)) return value.length === 0 ? null : this.choices.choose(keyOf(at), value);
    const { node, scope } = value;
    const properties = is.isObjectLiteralExpression(node) ? node.properties.filter(is.isPropertyAssignment) : [];
    if (properties.length === 0) return null;
    return this.evaluate(this.choices.choose(keyOf(at), properties).initializer, scope);
  }

  /** One of the strings that the type of an expression allows. */
  private async ofType(node: Node, scope: Scope): Promise<Value> {
    const type = await this.source.checker.getTypeAtLocation(node);
    const texts: string[] = [];
    for (const member of type ? await membersOf(type) : []) if (member.isStringLiteralType()) texts.push(member.value);
    const isString = texts.length > 0 && type && texts.length === (await membersOf(type)).length;
    return isString ? this.choices.choose(keyOf(functionAround(node)) + textOf(node), texts) : { node, scope };
  }
}

/** Choices are made in the order of the source, so nothing is evaluated at the same time. */
async function inOrder<Item, Result>(items: Iterable<Item>, work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

export function isCode(value: Value): value is Code {
  return typeof value !== "string" && !Array.isArray(value);
}

function isFunction(node: Node): node is FunctionLikeDeclaration {
  return is.isFunctionLikeDeclaration(node);
}

/** The innermost function that contains a node, or its file. */
function functionAround(node: Node): Node {
  let around = node;
  for (around of ancestors(node)) if (isFunction(around)) break;
  return around;
}

function nameOf(name: Node): string {
  return is.isStringLiteralLikeNode(name) ? name.text : textOf(name);
}
