import { Refusal } from "../../errors.ts";
import type { Router } from "../router.ts";

/**
 * Mastodon's documentation: methods/emails. This server sends no mail: every address counts as confirmed, and there is
 * no mail to send again.
 */
export function emailRoutes(routes: Router): void {
  routes
    .post(
      "/api/v1/emails/confirmations",
      { scope: "write:accounts", summary: "Resend the confirmation e-mail" },
      () => {
        throw new Refusal("forbidden", "This method is only available while the e-mail is awaiting confirmation");
      },
    )
    .get(
      "/api/v1/emails/check_confirmation",
      { scope: "read:accounts", summary: "Check whether the e-mail address is confirmed" },
      () => true,
    );
}
