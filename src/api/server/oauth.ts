import type { Context } from "../../context.ts";
import { showAccount } from "../../entities/accounts.ts";
import { RESPONSE_MODES } from "../../oauth/redirects.ts";
import { SCOPES } from "../../oauth/scopes.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/**
 * OAuth metadata and user info. `web/authorize.tsx` and `web/token.ts` issue the tokens, as requests without a bearer.
 */
export function oauthRoutes(routes: Router): void {
  routes.get("/.well-known/oauth-authorization-server", { open: "always" }, ({ ctx }) => metadata(ctx));
  const userinfo = ({ ctx, viewer }: Call<{ scope: "profile" }>) => claims(ctx, viewer.accountId);
  // OpenID Connect Core, section 5.3: either method.
  routes.get("/oauth/userinfo", { scope: "profile" }, userinfo);
  routes.post("/oauth/userinfo", { scope: "profile" }, userinfo);
}

/** RFC 8414. `app_registration_endpoint` is Mastodon's own. */
function metadata({ config: { origin } }: Context) {
  return {
    issuer: `${origin}/`,
    service_documentation: "https://docs.joinmastodon.org/",
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    app_registration_endpoint: `${origin}/api/v1/apps`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    userinfo_endpoint: `${origin}/oauth/userinfo`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: RESPONSE_MODES,
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  };
}

/** The claims that Mastodon returns about a user (OpenID Connect Core, section 5.1). */
function claims(ctx: Context, accountId: number) {
  const account = showAccount(ctx, accountId);
  return {
    iss: `${ctx.config.origin}/`,
    sub: account.uri,
    name: account.display_name,
    preferred_username: account.username,
    profile: account.url,
    picture: account.avatar,
  };
}
