import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { passkeys } from "../../db/schema/index.ts";
import { INVISIBLE } from "../../lib/text/invisible.ts";
import { newSecret } from "../../lib/secrets.ts";
import { localHandle } from "../addresses.ts";
import { challengeExpiry, newChallenge, useChallenge } from "./challenges.ts";

export type PasskeyRow = typeof passkeys.$inferSelect;

export const MAX_PASSKEY_NAME = 60;
const MAX_PASSKEYS = 25;
/** The algorithms that every authenticator offers at least one of: ES256, RS256 and EdDSA, by their COSE numbers. */
const ALGORITHMS = [-7, -257, -8];
/** How long the browser asks the user, in ms. */
const TIMEOUT = 5 * 60_000;

/** Why a passkey's answer was refused: its challenge had expired, or anything else. */
export type PasskeyProblem = "expired" | "refused";

/**
 * The purpose of an answer, and the secret of the browser that shows the page: an answer to another page, or from another
 * browser, is refused.
 */
export interface Ceremony {
  purpose: "sign-in" | "second-step" | "confirm" | "add";
  browser: string;
}

/** Whether browsers allow passkeys at the address of this server: only with https, and at no IP address. */
export function offersPasskeys({ config }: Context): boolean {
  const { protocol, hostname } = new URL(config.origin);
  if (/^\[|^[\d.]+$/.test(hostname)) return false;
  return protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
}

export function passkeysOf(db: Reads, userId: number): PasskeyRow[] {
  return db.all<PasskeyRow>("SELECT * FROM passkeys WHERE user_id = +$userId ORDER BY id", { userId });
}

/**
 * The options with which the browser asks for a passkey. Without a user, it offers all that it knows for this server; then the
 * passkey is the only proof, so the authenticator must check a PIN, a fingerprint or the like.
 */
export function requestOptions(
  ctx: Context,
  ceremony: Ceremony,
  userId: number | null,
): PublicKeyCredentialRequestOptionsJSON {
  return {
    challenge: newChallenge(ctx, textOf(ceremony)),
    rpId: relyingParty(ctx),
    timeout: TIMEOUT,
    userVerification: userId === null ? "required" : "preferred",
    allowCredentials: userId === null ? [] : passkeysOf(ctx.db, userId).map(descriptorOf),
  };
}

/** The options with which the browser creates a passkey. */
export function creationOptions(
  ctx: Context,
  ceremony: Ceremony,
  user: { id: number; username: string; displayName: string },
): PublicKeyCredentialCreationOptionsJSON {
  const handle = localHandle(ctx, user.username);
  return {
    challenge: newChallenge(ctx, textOf(ceremony)),
    rp: { id: relyingParty(ctx), name: ctx.config.title },
    user: { id: handleOf(ctx, user.id), name: handle, displayName: user.displayName || user.username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: "public-key" })),
    timeout: TIMEOUT,
    attestation: "none",
    excludeCredentials: passkeysOf(ctx.db, user.id).map(descriptorOf),
    // Resident keys are those with which users sign in without their name.
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  };
}

/** A passkey's answer that was checked. */
export interface PasskeyProof {
  userId: number;
  /** Uses the answer up; false if it was used meanwhile. */
  redeem(tx: Tx): boolean;
}

/** Checks the answer of a passkey: of this user, or of any if `userId` is null. */
export async function checkPasskey(
  ctx: Context,
  ceremony: Ceremony,
  userId: number | null,
  answer: string,
): Promise<PasskeyProof | { problem: PasskeyProblem }> {
  const response = parsed<AuthenticationResponseJSON>(answer);
  const row = response && passkeyById(ctx.db, response.id);
  if (!row || (userId !== null && row.user_id !== userId)) return refused(ctx, "it is unknown");
  const handle = response.response?.userHandle;
  if (handle && handle !== handleOf(ctx, row.user_id)) return refused(ctx, "it is of another user");
  const { verifyAuthenticationResponse } = await webAuthn();
  const used = new Challenge(ctx, ceremony);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => used.accepts(challenge),
      expectedOrigin: ctx.config.origin,
      expectedRPID: relyingParty(ctx),
      requireUserVerification: userId === null,
      credential: {
        id: row.credential_id,
        publicKey: Buffer.from(row.public_key, "base64url"),
        counter: row.counter,
      },
    });
    if (!verified) return refused(ctx, "its signature is wrong");
    const counter = authenticationInfo.newCounter;
    return { userId: row.user_id, redeem: (tx) => used.redeem(tx) && recordUse(ctx, tx, row, counter) };
  } catch (error) {
    return used.hasExpired ? { problem: "expired" } : refused(ctx, String(error));
  }
}

/** Checks the answer of a new passkey. The function that is returned stores it. */
export async function checkNewPasskey(
  ctx: Context,
  ceremony: Ceremony,
  userId: number,
  answer: string,
): Promise<{ store(tx: Tx, name: string): boolean } | { problem: PasskeyProblem }> {
  const response = parsed<RegistrationResponseJSON>(answer);
  if (!response) return refused(ctx, "the answer is not JSON");
  const { verifyRegistrationResponse } = await webAuthn();
  const used = new Challenge(ctx, ceremony);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => used.accepts(challenge),
      expectedOrigin: ctx.config.origin,
      expectedRPID: relyingParty(ctx),
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return refused(ctx, "its signature is wrong");
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const made = { id, key: Buffer.from(publicKey).toString("base64url"), counter, transports };
    return { store: (tx, name) => used.redeem(tx) && insertPasskey(ctx, tx, userId, made, name) };
  } catch (error) {
    return used.hasExpired ? { problem: "expired" } : refused(ctx, String(error));
  }
}

/** A name that a user typed for a passkey, without invisible characters. */
export function passkeyName(typed: string): string {
  return [...typed.replace(INVISIBLE, "").trim()].slice(0, MAX_PASSKEY_NAME).join("");
}

/** False if the user has no such passkey. */
export function renamePasskey(tx: Tx, userId: number, id: number, name: string): boolean {
  return (
    tx.run("UPDATE passkeys SET name = $name WHERE id = +$id AND user_id = +$userId", { name, id, userId }).changes > 0
  );
}

/** False if the user has no such passkey. */
export function deletePasskey(tx: Tx, userId: number, id: number): boolean {
  return tx.run("DELETE FROM passkeys WHERE id = +$id AND user_id = +$userId", { id, userId }).changes > 0;
}

export function deletePasskeys(tx: Tx, userId: number): void {
  tx.run("DELETE FROM passkeys WHERE user_id = +$userId", { userId });
}

/** The challenge of an answer, once the library has read it. */
class Challenge {
  hasExpired = false;
  private accepted: { challenge: string; expiresAt: number } | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly ceremony: Ceremony,
  ) {}

  accepts(challenge: string): boolean {
    const expiresAt = challengeExpiry(this.ctx, challenge, textOf(this.ceremony));
    this.hasExpired = expiresAt !== null && expiresAt <= this.ctx.clock.now();
    if (expiresAt === null || this.hasExpired) return false;
    this.accepted = { challenge, expiresAt };
    return true;
  }

  redeem(tx: Tx): boolean {
    return this.accepted !== null && useChallenge(tx, this.accepted.challenge, this.accepted.expiresAt);
  }
}

/**
 * Loads the library that checks passkeys, at its first use: it is large. A library beneath it needs `reflect-metadata`
 * before it is evaluated, and imports it itself; in the executable, that import comes too late.
 */
async function webAuthn() {
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}

function passkeyById(db: Reads, credentialId: unknown): PasskeyRow | null {
  if (typeof credentialId !== "string") return null;
  return db.get<PasskeyRow>("SELECT * FROM passkeys WHERE credential_id = +$credentialId", { credentialId });
}

/** Counters only rise: one that doesn't belongs to a copy. Passkeys that are synchronised between devices have none. */
function recordUse(ctx: Context, tx: Tx, row: PasskeyRow, counter: number): boolean {
  const { changes } = tx.run(
    `UPDATE passkeys SET counter = $counter, last_used_at = $now
     WHERE id = +$id AND (counter < +$counter OR counter = 0 AND $counter = 0)`,
    { counter, now: ctx.clock.now(), id: row.id },
  );
  return changes > 0;
}

interface NewPasskey {
  id: string;
  key: string;
  counter: number;
  transports: string[];
}

/** False if the passkey belongs to another user, or if the user has too many. */
function insertPasskey(ctx: Context, tx: Tx, userId: number, made: NewPasskey, name: string): boolean {
  if (passkeysOf(tx, userId).length >= MAX_PASSKEYS) return false;
  const { changes } = tx.run(
    `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, name, created_at)
     VALUES ($userId, $credentialId, $key, $counter, $transports, $name, $now) ON CONFLICT DO NOTHING`,
    {
      userId,
      credentialId: made.id,
      key: made.key,
      counter: made.counter,
      transports: JSON.stringify(made.transports),
      name,
      now: ctx.clock.now(),
    },
  );
  return changes > 0;
}

/** The random id by which authenticators know a user. */
function handleOf(ctx: Context, userId: number): string {
  return (
    storedHandle(ctx.db, userId) ?? ctx.db.transaction((tx) => storedHandle(tx, userId) ?? createHandle(tx, userId))
  );
}

function storedHandle(db: Reads, userId: number): string | null {
  const sql = "SELECT passkey_handle AS handle FROM users WHERE id = +$userId";
  return db.get<{ handle: string | null }>(sql, { userId })?.handle ?? null;
}

function createHandle(tx: Tx, userId: number): string {
  const handle = newSecret();
  tx.run("UPDATE users SET passkey_handle = $handle WHERE id = +$userId", { handle, userId });
  return handle;
}

function descriptorOf({ credential_id, transports }: PasskeyRow) {
  return { id: credential_id, type: "public-key" as const, transports: JSON.parse(transports) };
}

/** Passkeys work only at this host. */
function relyingParty(ctx: Context): string {
  return new URL(ctx.config.origin).hostname;
}

function textOf({ purpose, browser }: Ceremony): string {
  return `${purpose} ${browser}`;
}

function parsed<T extends object>(json: string): T | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as T) : null;
  } catch {
    return null;
  }
}

function refused(ctx: Context, reason: string): { problem: "refused" } {
  ctx.log.debug("a passkey was refused: {reason}", { reason });
  return { problem: "refused" };
}

const OWNERS = `
  SELECT DISTINCT a.username FROM passkeys p JOIN users u ON u.id = p.user_id JOIN accounts a ON a.id = u.account_id
  ORDER BY a.username`;

/** The names of all users with a passkey. */
export function passkeyOwners(db: Reads): string[] {
  return db.all<{ username: string }>(OWNERS).map(({ username }) => username);
}
