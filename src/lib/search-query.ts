/** A word, a phrase or an operator of a search, and whether it is wished away. */
export interface Term {
  kind: "text" | "from" | "has" | "is" | "language" | "before" | "after" | "during" | "in";
  value: string;
  negated: boolean;
}

const OPERATORS = ["from", "has", "is", "language", "before", "after", "during", "in"] as const;
const MAX_TERMS = 32;
const TERM = /(?<sign>[-+]?)(?:(?<operator>[a-z]+):)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/giu;

/**
 * Reads a search as Mastodon's documentation describes it (user/network, "Search operators"): words that must all be
 * there, "phrases", operators such as `from:me`, and a minus before what must not be.
 */
export function parseSearch(query: string): Term[] {
  const terms: Term[] = [];
  for (const { groups } of query.slice(0, 2000).matchAll(TERM)) {
    const { sign, operator, phrase, word } = groups as Record<string, string | undefined>;
    const value = (phrase ?? word ?? "").trim();
    const kind = OPERATORS.find((known) => known === operator?.toLowerCase());
    if (value !== "") {
      terms.push({
        kind: kind ?? "text",
        value: kind || operator === undefined ? value : `${operator}:${value}`,
        negated: sign === "-",
      });
    }
    if (terms.length === MAX_TERMS) break;
  }
  return terms;
}

/** The moments between which a day lies, in milliseconds since 1970 (UTC); null for what is no day. */
export function dayOf(text: string): { from: number; to: number } | null {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const from = Date.UTC(year, month - 1, day);
  const isReal = new Date(from).getUTCMonth() === month - 1 && new Date(from).getUTCDate() === day;
  return isReal ? { from, to: from + 24 * 3600_000 } : null;
}
