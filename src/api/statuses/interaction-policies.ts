import type { Static } from "@sinclair/typebox";
import {
  changeDefaultPolicies,
  defaultPolicies,
  type InteractionPolicy,
  newPolicy,
  OPEN_POLICY,
  POLICY_WORDS,
  storedPolicy,
} from "../../core/interaction-policies.ts";
import { VISIBILITIES } from "../../core/visibility.ts";
import type { Context } from "../../context.ts";
import { showPolicy } from "../../entities/statuses/interaction-policies.ts";
import { list, object, oneOf, optional } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

/** Apps send back what they were shown, where `me` is the viewer. */
const words = () => optional(list(oneOf([...POLICY_WORDS, "me"])));

/** Both spellings of GoToSocial. With approval, nobody may: Linnet has no requests to approve. */
const RuleInput = object({
  automatic_approval: words(),
  always: words(),
  manual_approval: words(),
  with_approval: words(),
});

export const PolicyInput = object({
  can_favourite: optional(RuleInput),
  can_reply: optional(RuleInput),
  can_reblog: optional(RuleInput),
});

/** The rules that a request names, as stored. */
export function policyChanges(input: Static<typeof PolicyInput> | undefined): Partial<InteractionPolicy> {
  const [favourite, reply, reblog] = [input?.can_favourite, input?.can_reply, input?.can_reblog];
  return {
    ...(favourite && { canFavourite: storedRule(favourite) }),
    ...(reply && { canReply: storedRule(reply) }),
    ...(reblog && { canReblog: storedRule(reblog) }),
  };
}

function storedRule({ automatic_approval, always }: Static<typeof RuleInput>): string | null {
  const given = automatic_approval ?? always ?? [];
  return storedPolicy(given.filter((word) => word !== "me"));
}

const Defaults = object({
  public: optional(PolicyInput),
  unlisted: optional(PolicyInput),
  private: optional(PolicyInput),
  direct: optional(PolicyInput),
});

/** GoToSocial's documentation: interaction_policies. */
export function interactionPolicyRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/interaction_policies/defaults",
      { scope: "read:accounts", summary: "Get who may interact with your new statuses, by visibility" },
      ({ ctx, viewerId }) => showDefaults(ctx, viewerId),
    )
    .update(
      "/api/v1/interaction_policies/defaults",
      {
        scope: "write:accounts",
        input: Defaults,
        summary: "Set who may interact with your new statuses; a visibility that is missing gets its original default",
      },
      ({ ctx, viewerId, input }) => {
        const changes = VISIBILITIES.map((visibility) => {
          const given = input[visibility];
          return [visibility, given ? { ...OPEN_POLICY, ...policyChanges(given) } : null];
        });
        ctx.db.transaction((tx) => changeDefaultPolicies(tx, viewerId, Object.fromEntries(changes)));
        return showDefaults(ctx, viewerId);
      },
    );
}

function showDefaults(ctx: Context, accountId: number) {
  const defaults = defaultPolicies(ctx.db, accountId);
  const shown = VISIBILITIES.map((visibility) => [
    visibility,
    showPolicy(newPolicy(defaults, visibility, {}), visibility),
  ]);
  return Object.fromEntries(shown);
}
