import type { Context } from "../../context.ts";
import { accountPartUrl } from "../addresses.ts";
import type { JsonObject } from "../documents.ts";
import { PUBLIC } from "./context.ts";

interface PolicyColumns {
  can_favourite: string | null;
  can_reply: string | null;
  can_reblog: string | null;
  quote_automatic: string;
  quote_manual: string;
}

interface Author {
  username: string;
  author_uri: string;
}

type Mentioned = readonly { uri: string }[];

/**
 * The policy of a status. A rule that is missing allows everyone who sees the status, but without `canQuote`, nobody may
 * quote it.
 */
export function interactionPolicy(ctx: Context, status: PolicyColumns & Author, mentioned: Mentioned): JsonObject {
  const rule = (list: string | null, always: Mentioned) =>
    list !== null && ruleOf(ctx, list, status, mentioned, always);
  const [canLike, canReply] = [rule(status.can_favourite, []), rule(status.can_reply, mentioned)];
  const canAnnounce = rule(status.can_reblog, []);
  return {
    ...(canLike && { canLike }),
    ...(canReply && { canReply }),
    ...(canAnnounce && { canAnnounce }),
    canQuote: quoteRule(ctx, status),
  };
}

function ruleOf(
  ctx: Context,
  list: string,
  { username, author_uri }: Author,
  mentioned: Mentioned,
  always: Mentioned,
): JsonObject {
  const words = JSON.parse(list) as string[];
  const named = (words.includes("mentioned") ? mentioned : always).map(({ uri }) => uri);
  const collections = words.flatMap((word) => collectionOf(ctx, word, username));
  return { automaticApproval: [...new Set([author_uri, ...collections, ...named])], manualApproval: [] };
}

/** If it allows nobody, the list has the author, as in Mastodon. */
function quoteRule(ctx: Context, { quote_automatic, quote_manual, username, author_uri }: PolicyColumns & Author) {
  const uris = (list: string) => (JSON.parse(list) as string[]).flatMap((word) => collectionOf(ctx, word, username));
  const [automatic, manual] = [uris(quote_automatic), uris(quote_manual)];
  const isForNobody = automatic.length === 0 && manual.length === 0;
  return { automaticApproval: isForNobody ? [author_uri] : automatic, manualApproval: manual };
}

function collectionOf(ctx: Context, word: string, username: string): string[] {
  if (word === "public") return [PUBLIC];
  // No collection has the mutuals. What other followers send is refused when it arrives.
  if (word === "mutuals") return [accountPartUrl(ctx, username, "followers")];
  return word === "followers" || word === "following" ? [accountPartUrl(ctx, username, word)] : [];
}
