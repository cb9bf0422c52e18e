import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { hashSecret } from "../../lib/secrets.ts";

const COUNT = 10;
/** Without the characters that are easily confused in handwriting. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Replaces a user's recovery codes. They are returned once, here: only their hashes are stored. */
export function replaceRecoveryCodes(ctx: Context, tx: Tx, userId: number): string[] {
  const codes = Array.from({ length: COUNT }, newCode);
  deleteRecoveryCodes(tx, userId);
  for (const code of codes) {
    tx.run("INSERT INTO recovery_codes (code_hash, user_id, created_at) VALUES ($hash, $userId, $now)", {
      hash: hashOf(userId, code),
      userId,
      now: ctx.clock.now(),
    });
  }
  return codes;
}

/** Uses a code up; false if it isn't one of the user's. */
export function useRecoveryCode(tx: Tx, userId: number, typed: string): boolean {
  const hash = hashOf(userId, typed);
  return tx.run("DELETE FROM recovery_codes WHERE code_hash = +$hash", { hash }).changes > 0;
}

export function countRecoveryCodes(db: Reads, userId: number): number {
  return db.get<{ count: number }>("SELECT count(*) AS count FROM recovery_codes WHERE user_id = +$userId", {
    userId,
  })!.count;
}

export function deleteRecoveryCodes(tx: Tx, userId: number): void {
  tx.run("DELETE FROM recovery_codes WHERE user_id = +$userId", { userId });
}

/** 79 bits, so that the codes can't be found from their hashes. */
function newCode(): string {
  const letters = Array.from({ length: GROUPS * GROUP_LENGTH }, randomLetter).join("");
  return letters.match(new RegExp(`.{${GROUP_LENGTH}}`, "g"))!.join("-");
}

function randomLetter(): string {
  for (;;) {
    const [number] = crypto.getRandomValues(new Uint8Array(1));
    // Otherwise the first letters would be more frequent.
    if (number! < 256 - (256 % ALPHABET.length)) return ALPHABET[number! % ALPHABET.length]!;
  }
}

/** The same for every way to type a code. */
function hashOf(userId: number, code: string): string {
  return hashSecret(
    `recovery code of ${userId} ${code
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[^a-z\d]/g, "")}`,
  );
}
