import { hasType, idOf, type Json, listOf, objectsOf, stringOf } from "../json.ts";

/** The quote in a status (FEP-044f). */
export interface QuoteRead {
  /** The address of the quoted status. */
  uri: string;
  /** Whether only properties without consent name it. */
  isLegacy: boolean;
  /** The URI of the quoted author's consent. */
  authorization: string | null;
}

/** The quote of a status; null if it has none. */
export function quoteOf(json: Json): QuoteRead | null {
  const uri = idOf(json.quote);
  if (uri !== null) return { uri, isLegacy: false, authorization: idOf(json.quoteAuthorization) };
  const legacy = idOf(json.quoteUrl) ?? idOf(json.quoteUri) ?? idOf(json._misskey_quote) ?? linkedQuoteOf(json);
  return legacy === null ? null : { uri: legacy, isLegacy: true, authorization: null };
}

const RELATIONS = new Set(["https://misskey-hub.net/ns#_misskey_quote", "https://w3id.org/fep/044f#quote"]);
const MAX_ENTRIES = 2000;
const MAX_LENGTH = 255;

/** A Link to an object among the tags (FEP-e232): one that says that it is a quote, or is named like one. */
function linkedQuoteOf(json: Json): string | null {
  const link = objectsOf(json.tag)
    .slice(0, MAX_ENTRIES)
    .find((tag) => hasType(tag, "Link") && isObject(tag) && isQuote(tag));
  return link ? idOf(link.href) : null;
}

function isObject({ mediaType }: Json): boolean {
  return /^application\/(?:activity\+json|ld\+json\s*;)/i.test(stringOf(mediaType, MAX_LENGTH).trim());
}

function isQuote({ rel, name }: Json): boolean {
  const relations = listOf(rel);
  if (relations.length > 0) return relations.some((each) => RELATIONS.has(stringOf(each, MAX_LENGTH)));
  return /^RE:/i.test(stringOf(name, MAX_LENGTH).trim());
}
