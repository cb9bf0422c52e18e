import { firstWords } from "./search-words.ts";

/** A word, a phrase or an operator of a search, and whether it is wished away. */
export interface Term {
  kind: "text" | "from" | "has" | "is" | "language" | "before" | "after" | "during" | "in";
  value: string;
  negated: boolean;
}

const OPERATORS = ["from", "has", "is", "language", "before", "after", "during", "in"] as const;
const MAX_TERMS = 32;
/** In all words and phrases together: what a search costs grows with each word, even if it is the same one. */
const MAX_WORDS = 32;
const TERM = /(?<sign>[-+]?)(?:(?<operator>[a-z]+):)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/giu;

/**
 * Reads a search as Mastodon's documentation describes it (user/network, "Search operators"): words that must all be
 * there, "phrases", operators such as `from:me`, and a minus before what must not be. Ignores what exceeds the bounds.
 */
export function parseSearch(query: string): Term[] {
  const terms: Term[] = [];
  let left = MAX_WORDS;
  for (const match of query.slice(0, 2000).matchAll(TERM)) {
    const term = termOf(match.groups as Record<string, string | undefined>);
    if (term.kind === "text") {
      const { text, words } = firstWords(term.value, left);
      left -= words;
      term.value = text;
    }
    if (term.value !== "") terms.push(term);
    if (terms.length === MAX_TERMS) break;
  }
  return terms;
}

function termOf({ sign, operator, phrase, word }: Record<string, string | undefined>): Term {
  const value = (phrase ?? word ?? "").trim();
  const kind = OPERATORS.find((known) => known === operator?.toLowerCase());
  return {
    kind: kind ?? "text",
    value: kind || operator === undefined || value === "" ? value : `${operator}:${value}`,
    negated: sign === "-",
  };
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
