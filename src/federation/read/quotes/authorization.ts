import { hasType, idOf, type Json } from "../json.ts";

/** The consent of an author to one quote (FEP-044f). */
export interface QuoteAuthorization {
  id: string;
  author: string;
  quotingUri: string;
  quotedUri: string;
}

export function readAuthorization(json: Json): QuoteAuthorization | null {
  const [id, author] = [idOf(json), idOf(json.attributedTo)];
  const [quotingUri, quotedUri] = [idOf(json.interactingObject), idOf(json.interactionTarget)];
  if (!hasType(json, "QuoteAuthorization")) return null;
  if (id === null || author === null || quotingUri === null || quotedUri === null) return null;
  return { id, author, quotingUri, quotedUri };
}
