import { type InteractionPolicy, wordsOfPolicy } from "../../core/interaction-policies.ts";
import { isForEveryone, type Visibility } from "../../core/visibility.ts";

/** GoToSocial's InteractionPolicy: its names from version 0.20 on, and the older ones. */
export interface PolicyJson {
  can_favourite: RuleJson;
  can_reply: RuleJson;
  can_reblog: RuleJson;
}

interface RuleJson {
  automatic_approval: string[];
  manual_approval: string[];
  always: string[];
  with_approval: string[];
}

/** The viewer's own permissions. */
export interface Permissions {
  may_favourite: number;
  may_reply: number;
  may_reblog: number;
}

const NOBODY: Permissions = { may_favourite: 0, may_reply: 0, may_reblog: 0 };

/** A policy as its author set it, with `me` where it allows the viewer. */
export function showPolicy(policy: InteractionPolicy, visibility: Visibility, viewer = NOBODY): PolicyJson {
  const visibleTo = seenBy(visibility);
  const reblog = isForEveryone(visibility) ? wordsOfPolicy(policy.canReblog) : ["author"];
  const reply = policy.canReply === null ? visibleTo : [...new Set([...wordsOfPolicy(policy.canReply), "mentioned"])];
  return {
    can_favourite: rule(
      policy.canFavourite === null ? visibleTo : wordsOfPolicy(policy.canFavourite),
      viewer.may_favourite,
    ),
    can_reply: rule(reply, viewer.may_reply),
    can_reblog: rule(reblog, viewer.may_reblog),
  };
}

/** All who see a status. */
function seenBy(visibility: Visibility): string[] {
  if (isForEveryone(visibility)) return ["public"];
  return visibility === "private" ? ["author", "followers", "mentioned"] : ["author", "mentioned"];
}

function rule(words: readonly string[], isAllowed: number): RuleJson {
  const allowed = isAllowed === 1 ? [...words, "me"] : [...words];
  return { automatic_approval: allowed, manual_approval: [], always: allowed, with_approval: [] };
}

const texts = new Map<string, string>();
/** Far more than the policies in use: of other servers, some name accounts. */
const MAX_TEXTS = 500;

/** A policy as JSON text. Most statuses have one of a few. */
export function policyText(policy: InteractionPolicy, visibility: Visibility, viewer = NOBODY): string {
  const { canFavourite, canReply, canReblog } = policy;
  const flags = `${viewer.may_favourite}${viewer.may_reply}${viewer.may_reblog}`;
  const key = `${visibility} ${flags} ${canFavourite} ${canReply} ${canReblog}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = JSON.stringify(showPolicy(policy, visibility, viewer));
  if (texts.size >= MAX_TEXTS) texts.clear();
  texts.set(key, text);
  return text;
}
