import type { JSONWebKeySet } from "jose";
import { ProviderError } from "./provider.ts";

/** The claims of a verified ID token. All but `sub` may be missing, or of another type. */
export interface Claims {
  sub: unknown;
  email?: unknown;
  preferred_username?: unknown;
}

interface Expected {
  issuer: string;
  clientId: string;
  nonce: string;
  /** Milliseconds since 1970. */
  now: number;
  /** The provider's keys; with `isFresh`, not from the cache. */
  keys(isFresh: boolean): Promise<object>;
}

/** Seconds by which the clocks may differ. */
const TOLERANCE = 60;
/** Seconds after which a token is too old for a sign-in that has just happened. */
const MAX_AGE = 600;

/**
 * Checks an ID token (OpenID Connect Core, section 3.1.3.7): its signature, issuer, audience, times and nonce.
 *
 * @throws ProviderError if anything about it is wrong
 */
export async function verifyIdToken(token: string, expected: Expected): Promise<Claims> {
  const { errors } = await import("jose");
  try {
    return await verify(token, expected, await expected.keys(false));
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw problemOf(error);
  }
  // The provider has a new key.
  try {
    return await verify(token, expected, await expected.keys(true));
  } catch (error) {
    throw problemOf(error);
  }
}

async function verify(token: string, { issuer, clientId, nonce, now }: Expected, keys: object): Promise<Claims> {
  const { createLocalJWKSet, jwtVerify } = await import("jose");
  // With a key set, this accepts neither unsigned tokens nor those signed with the client's secret.
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys as JSONWebKeySet), {
    issuer,
    audience: clientId,
    requiredClaims: ["sub", "exp", "iat", "nonce"],
    currentDate: new Date(now),
    clockTolerance: TOLERANCE,
    maxTokenAge: MAX_AGE,
  });
  if (payload["nonce"] !== nonce) throw new ProviderError("the ID token is for another sign-in");
  const others = Array.isArray(payload.aud) && payload.aud.length > 1;
  if (payload["azp"] === undefined ? others : payload["azp"] !== clientId) {
    throw new ProviderError("the ID token is for another client");
  }
  return { ...payload, sub: payload.sub };
}

function problemOf(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError(`the ID token is invalid: ${error instanceof Error ? error.message : String(error)}`);
}
