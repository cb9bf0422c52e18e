import type { LimitName } from "../../config.ts";
import { Refusal } from "../../errors.ts";
import type { UserPage } from "./page-request.tsx";

/**
 * Counts a request against a limit of the API: a user has it once, for apps and pages together.
 *
 * @throws Refusal if the limit is reached
 */
export function takeRate({ ctx, session }: UserPage, limit: LimitName): void {
  const rate = ctx.rates?.[limit].take(`account ${session.accountId}`, ctx.clock.now());
  if (rate?.exceeded) throw new Refusal("too_many", "Too many requests");
}
