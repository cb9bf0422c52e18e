import type { TOTP } from "otpauth";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { seal, unseal } from "../../lib/secrets.ts";
import { localHandle } from "../addresses.ts";
import { sealingKey } from "../sealing-key.ts";

/** The only lengths and periods that all authenticator apps support. */
const DIGITS = 6;
const PERIOD = 30;
/** Accepts the code before and the one after the current one: clocks differ, and typing takes time. */
const WINDOW = 1;

/** A secret for an authenticator app, which is stored when the user has typed its first code. */
export interface NewSecret {
  /** The secret for the form that confirms it: encrypted, and for this user only. */
  sealed: string;
  /** For typing it into the app. */
  text: string;
  /** For a QR code. */
  uri: string;
}

/** Returns a new secret, or that of a form which is shown again. */
export async function newCodeSecret(
  ctx: Context,
  user: { id: number; username: string },
  sealedBefore = "",
): Promise<NewSecret> {
  const { Secret } = await import("otpauth");
  const before = unseal(sealedBefore, sealingKey(ctx), purposeOfNew(user.id));
  const text = before ?? new Secret({ size: 20 }).base32;
  const totp = await totpOf(text);
  // Apps show the issuer and the handle beside the code.
  totp.issuer = ctx.config.title.replaceAll(":", " ");
  totp.label = localHandle(ctx, user.username).replace(/^@/, "");
  return {
    sealed: seal(text, sealingKey(ctx), purposeOfNew(user.id)),
    text: text.match(/.{1,4}/g)!.join(" "),
    uri: totp.toString(),
  };
}

/** Checks the first code of a new secret; null if it is wrong. The function that is returned stores the secret. */
export async function checkNewSecret(
  ctx: Context,
  userId: number,
  sealed: string,
  typed: string,
): Promise<((tx: Tx) => void) | null> {
  const secret = unseal(sealed, sealingKey(ctx), purposeOfNew(userId));
  const step = secret === null ? null : await stepOf(ctx, secret, typed);
  if (secret === null || step === null) return null;
  const stored = seal(secret, sealingKey(ctx), purposeOf(userId));
  return (tx) =>
    void tx.run(
      `INSERT INTO one_time_codes (user_id, sealed_secret, last_step, created_at) VALUES ($userId, $stored, $step, $now)
       ON CONFLICT (user_id) DO UPDATE
       SET sealed_secret = excluded.sealed_secret, last_step = excluded.last_step, created_at = excluded.created_at`,
      { userId, stored, step, now: ctx.clock.now() },
    );
}

/**
 * Checks a code; null if it is wrong. The function that is returned uses the code up, and is false if it, or a later one,
 * was used meanwhile.
 */
export async function checkCode(ctx: Context, userId: number, typed: string): Promise<((tx: Tx) => boolean) | null> {
  const row = ctx.db.get<{ sealed_secret: string }>(
    "SELECT sealed_secret FROM one_time_codes WHERE user_id = +$userId",
    { userId },
  );
  // Null after the loss of the key, too: then a recovery code is needed.
  const secret = row && unseal(row.sealed_secret, sealingKey(ctx), purposeOf(userId));
  const step = secret === null ? null : await stepOf(ctx, secret, typed);
  if (step === null) return null;
  return (tx) =>
    tx.run("UPDATE one_time_codes SET last_step = $step WHERE user_id = +$userId AND last_step < +$step", {
      step,
      userId,
    }).changes > 0;
}

/** Whether something typed looks like a code of an authenticator app. Passwords and recovery codes are longer. */
export function isCode(typed: string): boolean {
  return new RegExp(`^\\d{${DIGITS}}$`).test(digitsOf(typed));
}

export function hasCodes(db: Reads, userId: number): boolean {
  return db.get("SELECT 1 FROM one_time_codes WHERE user_id = +$userId", { userId }) !== null;
}

/** False if the user had none. */
export function deleteCodes(tx: Tx, userId: number): boolean {
  return tx.run("DELETE FROM one_time_codes WHERE user_id = +$userId", { userId }).changes > 0;
}

/** The time step to which a code belongs; null if it is wrong. */
async function stepOf(ctx: Context, secret: string, typed: string): Promise<number | null> {
  if (!isCode(typed)) return null;
  const now = ctx.clock.now();
  const delta = (await totpOf(secret)).validate({ token: digitsOf(typed), timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD) + delta;
}

/** SHA-1 is what all apps support; HMAC is safe with it. */
async function totpOf(secret: string): Promise<TOTP> {
  const { TOTP, Secret } = await import("otpauth");
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: DIGITS, period: PERIOD });
}

/** Apps show codes with a space in the middle. */
function digitsOf(typed: string): string {
  return typed.normalize("NFKC").replaceAll(/\s/g, "");
}

function purposeOf(userId: number): string {
  return `one-time codes of user ${userId}`;
}

function purposeOfNew(userId: number): string {
  return `new one-time codes of user ${userId}`;
}
