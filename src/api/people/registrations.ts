import { prepareRegistration, register } from "../../core/people/registrations.ts";
import { bool, object, text } from "../../lib/http/input.ts";
import { appById } from "../../oauth/apps.ts";
import { showToken } from "../../oauth/grants.ts";
import { issueToken } from "../../oauth/tokens.ts";
import type { Router } from "../router.ts";

/**
 * Bounded only by the size of the request body: a longer value is refused below, with an error that names the field.
 */
const field = () => text({ max: Number.MAX_SAFE_INTEGER, default: "" });

const Registration = object({
  username: field(),
  email: field(),
  password: field(),
  agreement: bool({ default: false }),
  locale: field(),
  reason: field(),
  invite_code: field(),
});

/** Sign-up through an app, which gets a token of the new user (Mastodon's documentation: methods/accounts#create). */
export function registrationRoutes(routes: Router): void {
  const options = { app: true, scope: "write:accounts", limit: "registrations", input: Registration } as const;
  routes.post("/api/v1/accounts", { ...options, summary: "Register a new user" }, async ({ ctx, bearer, input }) => {
    const user = await prepareRegistration(ctx, { ...input, inviteCode: input.invite_code });
    const scopes = appById(ctx, bearer.appId).scopes;
    return ctx.db.transaction((tx) => {
      const userId = register(ctx, tx, user);
      const { secret } = issueToken(ctx, tx, { appId: bearer.appId, userId, scopes });
      return showToken(ctx, { secret, scopes });
    });
  });
}
