/*
 * Reads SQL as SQLite does, as far as the tests need it: into tokens, and into query blocks with the tables behind
 * their aliases.
 */

export type TokenKind = "word" | "name" | "string" | "number" | "parameter" | "sign";

export interface Token {
  kind: TokenKind;
  /** Words are in upper case; quoted names are without their quotes. */
  text: string;
  /** As it is written. */
  raw: string;
}

const TOKEN = new RegExp(
  [
    /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<string>[xX]?'(?:[^']|'')*')/,
    /(?<name>"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])/,
    /(?<parameter>[$:@]\w+|\?\d*)/,
    /(?<number>0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/,
    /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<sign><>|<=|>=|<<|>>|==|!=|\|\||->>|->|[-+*/%&|<>=~(),.;])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "y",
);

/** @throws on a character that no SQL has. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(sql)?.groups;
    if (!groups) throw new Error(`no SQL from here: ${sql.slice(at, at + 40)}`);
    at = TOKEN.lastIndex;
    const [kind, raw] = Object.entries(groups).find(([, text]) => text !== undefined)!;
    if (kind !== "space") tokens.push({ kind: kind as TokenKind, text: textOf(kind, raw!), raw: raw! });
  }
  return tokens;
}

function textOf(kind: string, raw: string): string {
  if (kind === "word") return raw.toUpperCase();
  return kind === "name" ? raw.slice(1, -1).replaceAll('""', '"') : raw;
}

/** A table or query in a FROM clause. */
export interface Source {
  /** The alias, or the table's own name. */
  alias: string;
  /** The table or table-valued function; null for a subquery or a common table expression. */
  table: string | null;
  /** The subquery or common table expression. */
  block: Block | null;
}

/** A query: a SELECT with all arms of its UNION, or the statement itself. */
export interface Block {
  /** The numbers that SQLite gives the SELECTs: it counts them as they end. */
  ids: number[];
  /** Its name in the FROM clause or WITH clause. */
  name: string | null;
  sources: Source[];
  /** The queries in its expressions. */
  inner: Block[];
}

/** The statement as a block, with its subqueries in it. */
export function parseSql(sql: string): Block {
  return new Parser(tokensOf(sql)).statement();
}

const COMPOUND = new Set(["UNION", "EXCEPT", "INTERSECT"]);
/** Words that end a FROM clause. */
const AFTER_FROM = new Set(
  "WHERE GROUP HAVING WINDOW ORDER LIMIT SET ON USING RETURNING DEFAULT VALUES SELECT WITH UNION EXCEPT INTERSECT".split(
    " ",
  ),
);
const JOINING = new Set(["JOIN", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL"]);
/** Words that follow a table and are no alias of it. */
const NO_ALIAS = new Set([...AFTER_FROM, ...JOINING, "INDEXED", "NOT", "AS"]);

type Names = ReadonlyMap<string, Block>;

class Parser {
  private at = 0;
  private selects = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  statement(): Block {
    const block = this.query(null, new Map());
    if (this.at < this.tokens.length) throw new Error(`unexpected "${this.tokens[this.at]!.raw}"`);
    return block;
  }

  /** Reads up to the parenthesis that ends the query. */
  private query(name: string | null, outer: Names): Block {
    const block: Block = { ids: [], name, sources: [], inner: [] };
    const names = this.is("WITH") ? this.withClause(outer) : outer;
    this.rest(block, names);
    return block;
  }

  private withClause(outer: Names): Names {
    const names = new Map(outer);
    this.next();
    this.accept("RECURSIVE");
    do {
      const name = this.identifier();
      if (this.is("(")) this.group();
      for (const word of ["AS", "NOT", "MATERIALIZED"]) this.accept(word);
      this.expect("(");
      // A recursive one reads itself.
      const own: Block = { ids: [], name, sources: [], inner: [] };
      names.set(name.toLowerCase(), own);
      Object.assign(own, this.query(name, names));
      this.expect(")");
    } while (this.accept(","));
    return names;
  }

  /** The clauses of the query, in whatever order. */
  private rest(block: Block, names: Names): void {
    let isSelect = false;
    const endSelect = () => {
      if (isSelect) block.ids.push(++this.selects);
      isSelect = false;
    };
    while (this.at < this.tokens.length && !this.is(")")) {
      if (this.is("SELECT") || this.is("VALUES")) {
        isSelect = true;
        this.next();
      } else if (COMPOUND.has(this.peek() ?? "") || this.is("ON") || this.is("RETURNING")) {
        // The SELECT of an INSERT ends before ON CONFLICT.
        endSelect();
        this.next();
      } else if (this.isFrom()) {
        this.next();
        if (this.accept("OR")) this.next();
        this.sources(block, names);
      } else {
        this.expression(block, names);
      }
    }
    endSelect();
  }

  /** Whether tables follow: not after `IS DISTINCT FROM` or `DO UPDATE`. */
  private isFrom(): boolean {
    const before = this.peek(-1);
    if (this.is("FROM")) return before !== "DISTINCT" || !["IS", "NOT"].includes(this.peek(-2) ?? "");
    return this.is("INTO") || (this.is("UPDATE") && before !== "DO");
  }

  private sources(block: Block, names: Names): void {
    for (;;) {
      this.source(block, names);
      // The condition of a join.
      while (this.at < this.tokens.length && !this.isAfterSource()) this.expression(block, names);
      if (this.accept(",")) continue;
      if (!JOINING.has(this.peek() ?? "")) return;
      while (JOINING.has(this.peek() ?? "")) this.next();
    }
  }

  private isAfterSource(): boolean {
    const word = this.peek()!;
    if (word === ")" || word === "," || JOINING.has(word)) return true;
    return AFTER_FROM.has(word) && word !== "ON" && word !== "USING";
  }

  private source(block: Block, names: Names): void {
    if (this.accept("(")) {
      if (!this.is("SELECT") && !this.is("WITH") && !this.is("VALUES")) {
        this.sources(block, names);
        this.expect(")");
        return;
      }
      const inner = this.query(null, names);
      this.expect(")");
      inner.name = this.alias() ?? null;
      block.sources.push({ alias: inner.name ?? "", table: null, block: inner });
      return;
    }
    this.table(block, names);
  }

  private table(block: Block, names: Names): void {
    let name = this.identifier();
    const isQualified = this.accept(".");
    if (isQualified) name = this.identifier();
    // The arguments of a function, or the columns of an INSERT.
    if (this.is("(")) this.group((inner) => block.inner.push(inner), names);
    const alias = this.alias() ?? name;
    const known = isQualified ? undefined : names.get(name.toLowerCase());
    block.sources.push({ alias, table: known ? null : name, block: known ?? null });
    if (this.accept("NOT")) this.expect("INDEXED");
    else if (this.accept("INDEXED")) {
      this.expect("BY");
      this.identifier();
    }
    if (this.is("(")) this.group();
  }

  private alias(): string | undefined {
    if (this.accept("AS")) return this.identifier();
    const token = this.tokens[this.at];
    const isName = token?.kind === "name" || (token?.kind === "word" && !NO_ALIAS.has(token.text));
    return isName ? this.identifier() : undefined;
  }

  /** One token, or a pair of parentheses with all that is in it. */
  private expression(block: Block, names: Names): void {
    if (this.is("(")) this.group((inner) => block.inner.push(inner), names);
    else this.next();
  }

  /** Parentheses, which may hold a query or have queries in them. */
  private group(found: (inner: Block) => void = () => {}, names: Names = new Map()): void {
    this.expect("(");
    if (this.is("SELECT") || this.is("WITH") || this.is("VALUES")) found(this.query(null, names));
    else {
      while (!this.is(")")) {
        if (this.is("(")) this.group(found, names);
        else this.next();
      }
    }
    this.expect(")");
  }

  private identifier(): string {
    const token = this.next();
    if (token.kind !== "word" && token.kind !== "name") throw new Error(`expected a name, not "${token.raw}"`);
    return token.kind === "name" ? token.text : token.raw;
  }

  /** The text of a token, unless it is a string or a quoted name. */
  private peek(offset = 0): string | undefined {
    const token = this.tokens[this.at + offset];
    return token && token.kind !== "string" && token.kind !== "name" ? token.text : undefined;
  }

  private is(text: string): boolean {
    return this.peek() === text;
  }

  private accept(text: string): boolean {
    const isHere = this.is(text);
    if (isHere) this.at++;
    return isHere;
  }

  private expect(text: string): void {
    const token = this.next();
    if (token.text !== text) throw new Error(`expected "${text}", not "${token.raw}"`);
  }

  private next(): Token {
    const token = this.tokens[this.at++];
    if (!token) throw new Error("the statement ends too early");
    return token;
  }
}

const COMPARISONS = new Set(["=", "==", "<>", "!=", "<", ">", "<=", ">=", "IS", "LIKE", "GLOB", "LIMIT", "OFFSET"]);
/** Operators that bind more tightly than a comparison: what it compares with is their result. */
const ARITHMETIC = new Set(["||", "->", "->>", "+", "-", "*", "/", "%", "&", "|", "<<", ">>"]);
/** Words that end the assignments of an UPDATE. */
const AFTER_SET = new Set(["FROM", "WHERE", "RETURNING", "ORDER", "LIMIT", "ON"]);

/**
 * Parameters without a plus right after a comparison or LIMIT, with the tokens before them: SQLite plans by their values.
 * Assignments of an UPDATE are no comparisons.
 */
export function bareParameters(sql: string): string[] {
  const tokens = tokensOf(sql);
  const found: string[] = [];
  /** For each open parenthesis, whether assignments are being read and whether BETWEEN waits for its AND. */
  const open = [{ isSet: false, isBetween: false }];
  for (const [at, token] of tokens.entries()) {
    const here = open.at(-1)!;
    const before = wordAt(tokens, at - 1);
    if (token.text === "(") open.push({ isSet: false, isBetween: false });
    else if (token.text === ")") open.pop();
    else if (token.text === "SET") here.isSet = true;
    else if (AFTER_SET.has(token.text)) here.isSet = false;
    else if (token.text === "BETWEEN") here.isBetween = true;
    if (token.kind === "parameter" && !ARITHMETIC.has(wordAt(tokens, at + 1))) {
      const isBound = before === "BETWEEN" || (before === "AND" && here.isBetween);
      const isNegated = before === "NOT" && wordAt(tokens, at - 2) === "IS";
      const isDistinct = before === "FROM" && wordAt(tokens, at - 2) === "DISTINCT";
      const isAssigned = here.isSet && before === "=" && ["SET", ","].includes(wordAt(tokens, at - 3));
      const isCompared = COMPARISONS.has(before) || isBound || isNegated || isDistinct;
      if (isCompared && !isAssigned)
        found.push(
          tokens
            .slice(Math.max(0, at - 3), at + 1)
            .map(({ raw }) => raw)
            .join(" "),
        );
    }
    if (before === "AND" || (token.text === "AND" && !here.isBetween)) here.isBetween = false;
  }
  return found;
}

/** The word or sign at a place; empty for anything else, such as a string. */
function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token && (token.kind === "word" || token.kind === "sign") ? token.text : "";
}
