import type { Quoters } from "../../../core/quotes/policy.ts";
import { PUBLIC, recipientsOf } from "../audience.ts";
import { isJson, type Json } from "../json.ts";

/** The accounts that may quote a status, by the URIs of accounts and collections. */
export interface QuotePolicyRead {
  automatic: string[];
  manual: string[];
}

/** `interactionPolicy.canQuote`. Without it, nobody may. */
export function quotePolicyOf({ interactionPolicy }: Json): QuotePolicyRead {
  const canQuote = isJson(interactionPolicy) ? interactionPolicy.canQuote : null;
  if (!isJson(canQuote)) return { automatic: [], manual: [] };
  return { automatic: recipientsOf(canQuote.automaticApproval), manual: recipientsOf(canQuote.manualApproval) };
}

interface Author {
  uri: string;
  followers_url: string | null;
  following_url: string | null;
}

/** A policy in Mastodon's words. The author always may, so naming them allows nobody else. */
export function quotersIn({ automatic, manual }: QuotePolicyRead, author: Author): Quoters {
  const words = (uris: readonly string[]) => JSON.stringify([...new Set(uris.flatMap((uri) => wordFor(uri, author)))]);
  return { automatic: words(automatic), manual: words(manual) };
}

function wordFor(uri: string, author: Author): string[] {
  if (uri === author.uri) return [];
  if (uri === PUBLIC) return ["public"];
  if (uri === author.followers_url) return ["followers"];
  return uri === author.following_url ? ["following"] : ["unsupported_policy"];
}
