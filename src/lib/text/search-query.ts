import { firstWords } from "./search-words.ts";

/** A word, a phrase or an operator of a search, and whether it is negated. */
export interface Term {
  kind: "text" | "from" | "has" | "is" | "language" | "before" | "after" | "during" | "in";
  value: string;
  negated: boolean;
}

const OPERATORS = ["from", "has", "is", "language", "before", "after", "during", "in"] as const;
const MAX_TERMS = 32;
/** In all words and phrases together: each word makes a search more expensive, even a repeated one. */
const MAX_WORDS = 32;
const TERM = /(?<sign>[-+]?)(?:(?<operator>[a-z]+):)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/giu;

/**
 * Parses a search query as Mastodon's documentation describes it (user/network, "Search operators"): words that must
 * all match, "phrases", operators such as `from:me`, and a minus to negate a term. Ignores terms beyond the limits.
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

/** The start and end of a day such as `2026-01-31`, in milliseconds since 1970 (UTC); null if it is invalid. */
export function dayOf(text: string): { from: number; to: number } | null {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const from = Date.UTC(year, month - 1, day);
  const isReal = new Date(from).getUTCMonth() === month - 1 && new Date(from).getUTCDate() === day;
  return isReal ? { from, to: from + 24 * 3600_000 } : null;
}
