import type { Context } from "../context.ts";
import type { Params } from "../lib/http/params.ts";
import { findApp, scopesFor, type App } from "./apps.ts";
import { oauthParam } from "./clients.ts";
import { OAuthRefusal } from "./refusals.ts";
import { isWebAddress, RESPONSE_MODES, type ResponseMode } from "./redirects.ts";
import type { Scope } from "./scopes.ts";

/** A valid authorization request of an app. */
export interface AuthorizationRequest {
  app: App;
  redirectUri: string;
  mode: ResponseMode;
  scopes: Scope[];
  /** Returned unchanged; null when missing, which differs from empty. */
  state: string | null;
  challenge: string | null;
}

/** The valid parts of a request, once it is known where a response may go. */
export type Recipient = Pick<AuthorizationRequest, "app" | "redirectUri" | "mode" | "state">;

export type AuthorizationError = "invalid_request" | "unsupported_response_type" | "invalid_scope" | "access_denied";

/** The problem with a request, for the page that explains it. */
export type AuthorizationProblem =
  | { problem: "parameters" | "client" | "redirect_uri"; recipient: null }
  | { problem: "response_type" | "response_mode" | "scope" | "pkce"; error: AuthorizationError; recipient: Recipient };

/** The parameters of a request, and the page's own two: `lang` and `force_login`. */
export const AUTHORIZATION_PARAMS = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "response_mode",
  "lang",
  "force_login",
] as const;

/**
 * Reads an authorization request. Nothing is ever sent to a redirect URI before it is known to be the app's; problems
 * found after that come with the recipient, which gets the error only if the user goes back to it.
 */
export function readAuthorization(ctx: Context, params: Params): AuthorizationRequest | AuthorizationProblem {
  const given = givenParams(params);
  if (!given) return { problem: "parameters", recipient: null };
  const app = findApp(ctx, given.client_id ?? "");
  if (!app) return { problem: "client", recipient: null };
  const registered: string[] = JSON.parse(app.redirect_uris);
  const redirectUri = given.redirect_uri;
  if (redirectUri === null || !registered.includes(redirectUri)) return { problem: "redirect_uri", recipient: null };

  const mode = modeOf(given.response_mode ?? "query", redirectUri);
  const recipient: Recipient = { app, redirectUri, mode: mode ?? "query", state: stateOf(params) };
  if (!mode) return { problem: "response_mode", error: "invalid_request", recipient };
  if (given.response_type !== "code") {
    return { problem: "response_type", error: "unsupported_response_type", recipient };
  }
  const scopes = scopesFor(app, given.scope);
  if (!scopes) return { problem: "scope", error: "invalid_scope", recipient };
  const challenge = given.code_challenge;
  if (!isChallenge(challenge, given.code_challenge_method)) {
    return { problem: "pkce", error: "invalid_request", recipient };
  }
  return { ...recipient, scopes, challenge };
}

/** The parameters of a response to the app, with its state unchanged. */
export function responseParams(recipient: Recipient, answer: Record<string, string>): Record<string, string> {
  return recipient.state === null ? answer : { ...answer, state: recipient.state };
}

type Given = Record<(typeof AUTHORIZATION_PARAMS)[number], string | null>;

function givenParams(params: Params): Given | null {
  try {
    return Object.fromEntries(AUTHORIZATION_PARAMS.map((name) => [name, oauthParam(params, name)])) as Given;
  } catch (error) {
    if (error instanceof OAuthRefusal) return null;
    throw error;
  }
}

function stateOf(params: Params): string | null {
  return params["state"] === "" ? "" : oauthParam(params, "state");
}

/** `form_post` is possible only for a web page. */
function modeOf(asked: string, redirectUri: string): ResponseMode | undefined {
  const mode = RESPONSE_MODES.find((known) => known === asked);
  return mode === "form_post" && !isWebAddress(redirectUri) ? undefined : mode;
}

/** Only S256: without a method RFC 7636 means `plain`, which shows the verifier to anyone who sees the request. */
function isChallenge(challenge: string | null, method: string | null): boolean {
  if (challenge === null) return method === null || method === "S256";
  return method === "S256" && /^[\w-]{43}$/.test(challenge);
}
