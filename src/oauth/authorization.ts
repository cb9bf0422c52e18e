import type { Context } from "../context.ts";
import type { Params } from "../lib/http/params.ts";
import { findApp, scopesFor, type App } from "./apps.ts";
import { oauthParam } from "./clients.ts";
import { OAuthRefusal } from "./errors.ts";
import { isWebAddress, RESPONSE_MODES, type ResponseMode } from "./redirects.ts";
import type { Scope } from "./scopes.ts";

/** What an app asks a person for. */
export interface AuthorizationRequest {
  app: App;
  redirectUri: string;
  mode: ResponseMode;
  scopes: Scope[];
  /** Given back as it came; null when there was none, which is not the same as empty. */
  state: string | null;
  challenge: string | null;
}

/** The parts of a request that are known to be good, once it is known where an answer may go. */
export type Recipient = Pick<AuthorizationRequest, "app" | "redirectUri" | "mode" | "state">;

export type AuthorizationError = "invalid_request" | "unsupported_response_type" | "invalid_scope" | "access_denied";

/** What is wrong with a request, as the page must explain it. */
export type Problem =
  | { problem: "parameters" | "client" | "redirect_uri"; recipient: null }
  | { problem: "response_type" | "response_mode" | "scope" | "pkce"; error: AuthorizationError; recipient: Recipient };

/** The parameters that make up a request, and the page's own two. */
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
 * Reads a request for authorization. Nothing is ever sent to an address before app and address are known to belong
 * together; what is wrong after that comes with the recipient, who may be told when the person says so.
 */
export function readAuthorization(ctx: Context, params: Params): AuthorizationRequest | Problem {
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

/** What goes back to the app, with its state as it came. */
export function answerFor(recipient: Recipient, answer: Record<string, string>): Record<string, string> {
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

/** A form can be sent to a page on the web alone. */
function modeOf(asked: string, redirectUri: string): ResponseMode | undefined {
  const mode = RESPONSE_MODES.find((known) => known === asked);
  return mode === "form_post" && !isWebAddress(redirectUri) ? undefined : mode;
}

/** S256 alone: without a method RFC 7636 means `plain`, which shows the verifier to whoever sees the request. */
function isChallenge(challenge: string | null, method: string | null): boolean {
  if (challenge === null) return method === null || method === "S256";
  return method === "S256" && /^[\w-]{43}$/.test(challenge);
}
