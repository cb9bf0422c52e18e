import type { InteractionPolicy } from "../../core/interaction-policies.ts";
import { PUBLIC, recipientsOf } from "./audience.ts";
import { isJson, type Json } from "./json.ts";

/** The accounts that may interact with a status, by the URIs of accounts and collections; null if nothing is said. */
export interface PolicyRead {
  favourite: string[] | null;
  reply: string[] | null;
  reblog: string[] | null;
}

/** `interactionPolicy`, as GoToSocial defines it. */
export function policyOf({ interactionPolicy }: Json): PolicyRead {
  const rules = isJson(interactionPolicy) ? interactionPolicy : {};
  return {
    favourite: allowedBy(rules.canLike),
    reply: allowedBy(rules.canReply),
    reblog: allowedBy(rules.canAnnounce),
  };
}

/** Before version 0.20, GoToSocial named the two properties otherwise. Accounts that would have to ask may not. */
function allowedBy(rule: unknown): string[] | null {
  if (!isJson(rule)) return null;
  const names = ["automaticApproval", "always", "manualApproval", "approvalRequired"];
  if (!names.some((name) => rule[name] !== undefined && rule[name] !== null)) return null;
  return recipientsOf(rule.automaticApproval ?? rule.always);
}

interface Author {
  uri: string;
  followers_url: string | null;
  following_url: string | null;
}

/** Far more than the accounts that a post mentions. */
const MAX_NAMED = 50;

/** The policy as it is stored. */
export function storedPolicyOf(policy: PolicyRead, author: Author): InteractionPolicy {
  return {
    canFavourite: storedList(policy.favourite, author),
    canReply: storedList(policy.reply, author),
    canReblog: storedList(policy.reblog, author),
  };
}

function storedList(uris: readonly string[] | null, author: Author): string | null {
  if (uris === null || uris.includes(PUBLIC)) return null;
  const others = uris.filter((uri) => uri !== author.uri && /^https?:/.test(uri)).slice(0, MAX_NAMED);
  return JSON.stringify([...new Set(others.map((uri) => wordFor(uri, author)))]);
}

function wordFor(uri: string, author: Author): string {
  if (uri === author.followers_url) return "followers";
  return uri === author.following_url ? "following" : uri;
}
