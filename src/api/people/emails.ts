import { resendSignUpConfirmation } from "../../core/sign-in/email-address.ts";
import { object, optional, text } from "../../lib/http/input.ts";
import { requireViewer, type Bearer } from "../../oauth/guard.ts";
import type { Router } from "../router.ts";

const Confirmation = object({ email: optional(text({ min: 1, max: 320 })) });

/**
 * Mastodon's documentation: methods/emails. They also work for a user who has not confirmed the address yet. If this server
 * sends no e-mails, every address counts as confirmed.
 */
export function emailRoutes(routes: Router): void {
  routes
    .post(
      "/api/v1/emails/confirmations",
      { app: true, scope: "write:accounts", input: Confirmation, summary: "Resend the confirmation e-mail" },
      ({ ctx, bearer, input }) => resendSignUpConfirmation(ctx, userOf(bearer), input.email?.trim() ?? null),
    )
    .get(
      "/api/v1/emails/check_confirmation",
      { app: true, scope: "read:accounts", summary: "Check whether the e-mail address is confirmed" },
      ({ bearer }) => userOf(bearer) > 0 && !bearer.unconfirmed,
    );
}

/** @throws Refusal for an app token */
function userOf(bearer: Bearer): number {
  return bearer.userId ?? requireViewer(bearer).userId;
}
