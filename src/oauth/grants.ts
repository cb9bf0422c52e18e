import type { Context } from "../context.ts";
import { hashSecret } from "../lib/secrets.ts";
import type { Params } from "../lib/http/params.ts";
import { scopesFor, type App } from "./apps.ts";
import { authenticateClient, oauthParam } from "./clients.ts";
import { redeemCode } from "./codes.ts";
import { OAuthRefusal } from "./refusals.ts";
import { issueToken, revokeToken } from "./tokens.ts";

/** Mastodon's entity Token. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  scope: string;
  /** Seconds since 1970. */
  created_at: number;
}

/** The token endpoint's response to a request with these parameters and this Authorization header. */
export function grantToken(ctx: Context, authorization: string | null, params: Params): TokenResponse {
  const type = oauthParam(params, "grant_type");
  if (type === null) throw missing("grant_type");
  if (type !== "authorization_code" && type !== "client_credentials") {
    throw new OAuthRefusal("unsupported_grant_type", "grant_type must be authorization_code or client_credentials.");
  }
  const app = authenticateClient(ctx, authorization, params);
  return showToken(ctx, type === "authorization_code" ? tokenForCode(ctx, app, params) : tokenForApp(ctx, app, params));
}

/** The response with a token that was issued just now. */
export function showToken(ctx: Context, token: { secret: string; scopes: string }): TokenResponse {
  return {
    access_token: token.secret,
    token_type: "Bearer",
    scope: token.scopes,
    created_at: Math.floor(ctx.clock.now() / 1000),
  };
}

/** Revokes a token for the app it was issued to. An unknown token is no error, since it isn't valid anyway. */
export function revokeForClient(ctx: Context, authorization: string | null, params: Params): void {
  const app = authenticateClient(ctx, authorization, params);
  const token = oauthParam(params, "token");
  if (token === null) throw notAuthorized();
  ctx.db.transaction((tx) => {
    const row = tx.get<{ id: number; app_id: number }>(
      "SELECT id, app_id FROM oauth_tokens WHERE token_hash = +$tokenHash",
      { tokenHash: hashSecret(token) },
    );
    if (!row) return;
    if (row.app_id !== app.id) throw notAuthorized();
    revokeToken(ctx, tx, row.id);
  });
}

interface Token {
  secret: string;
  scopes: string;
}

function tokenForCode(ctx: Context, app: App, params: Params): Token {
  const code = oauthParam(params, "code") ?? refuse("code");
  const redirectUri = oauthParam(params, "redirect_uri") ?? refuse("redirect_uri");
  const token = redeemCode(ctx, { appId: app.id, code, redirectUri, verifier: oauthParam(params, "code_verifier") });
  if (token) return token;
  throw new OAuthRefusal(
    "invalid_grant",
    "The code is unknown, expired or already used, or it was given to another app, for another redirect_uri or with another code_challenge.",
  );
}

function tokenForApp(ctx: Context, app: App, params: Params): Token {
  const scopes = scopesFor(app, oauthParam(params, "scope"));
  if (!scopes) {
    throw new OAuthRefusal("invalid_scope", "A requested scope is unknown or was not registered for this app.");
  }
  const granted = scopes.join(" ");
  return ctx.db.transaction((tx) => {
    const { secret } = issueToken(ctx, tx, { appId: app.id, userId: null, scopes: granted });
    return { secret, scopes: granted };
  });
}

function refuse(name: string): never {
  throw missing(name);
}

function missing(name: string): OAuthRefusal {
  return new OAuthRefusal("invalid_request", `The parameter ${name} is missing.`);
}

function notAuthorized(): OAuthRefusal {
  return new OAuthRefusal("unauthorized_client", "You are not authorized to revoke this token.");
}
