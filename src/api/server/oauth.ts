import { localUrl } from "../../core/addresses.ts";
import type { Context } from "../../context.ts";
import { showAccount } from "../../entities/accounts.ts";
import { object, oneOf, optional, text } from "../../lib/http/input.ts";
import { RESPONSE_MODES } from "../../oauth/redirects.ts";
import { SCOPES } from "../../oauth/scopes.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/** OAuth metadata and user info, and the description of the endpoints that issue and revoke tokens. */
export function oauthRoutes(routes: Router): void {
  routes.get(
    "/.well-known/oauth-authorization-server",
    { open: "always", summary: "Get the OAuth server metadata" },
    ({ ctx }) => metadata(ctx),
  );
  describeTokenEndpoints(routes);
  const userinfo = ({ ctx, viewer }: Call<{ scope: "profile" }>) => claims(ctx, viewer.accountId);
  const options = { scope: "profile", summary: "Get the OpenID Connect claims of the user" } as const;
  // OpenID Connect Core, section 5.3: either method.
  routes.get("/oauth/userinfo", options, userinfo);
  routes.post("/oauth/userinfo", options, userinfo);
}

const client = { client_id: text({ max: 200 }), client_secret: text({ max: 200 }) };

const Authorization = object({
  response_type: oneOf(["code"]),
  client_id: client.client_id,
  redirect_uri: text({ max: 2000 }),
  scope: optional(text({ max: 2000 })),
  state: optional(text({ max: 2000 })),
  code_challenge: optional(text({ max: 200 })),
  code_challenge_method: optional(oneOf(["S256"])),
  response_mode: optional(oneOf(RESPONSE_MODES)),
  lang: optional(text({ max: 20 })),
  force_login: optional(text({ max: 10 })),
});

const Grant = object({
  grant_type: oneOf(["authorization_code", "client_credentials"]),
  ...client,
  code: optional(text({ max: 200 })),
  redirect_uri: optional(text({ max: 2000 })),
  code_verifier: optional(text({ max: 200 })),
  scope: optional(text({ max: 2000 })),
});

const Revocation = object({ ...client, token: text({ max: 512 }) });

/** `web/sign-in/authorize.tsx` and `web/sign-in/token.ts` serve these: pages, and requests with OAuth's own rules and errors. */
function describeTokenEndpoints(routes: Router): void {
  routes
    .describeOnly("GET", "/oauth/authorize", {
      open: "always",
      input: Authorization,
      summary: "Show the page on which a user authorizes an app",
    })
    .describeOnly("POST", "/oauth/authorize", { open: "always", summary: "Submit the user's decision on that page" })
    .describeOnly("POST", "/oauth/token", { open: "always", input: Grant, summary: "Obtain an access token" })
    .describeOnly("POST", "/oauth/revoke", { open: "always", input: Revocation, summary: "Revoke an access token" });
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
    iss: localUrl(ctx, "/"),
    sub: account.uri,
    name: account.display_name,
    preferred_username: account.username,
    profile: account.url,
    picture: account.avatar,
  };
}
