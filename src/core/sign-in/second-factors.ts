import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { SignInChange } from "../../db/mail-order.ts";
import { reportSignInChange, type Changer } from "../mail/sign-in-changes.ts";
import { keepWayIn } from "./identities.ts";
import { checkCode, deleteCodes, hasCodes, isCode } from "./one-time-codes.ts";
import { deletePasskeys, passkeysOf, type PasskeyRow } from "./passkeys.ts";
import { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes, useRecoveryCode } from "./recovery-codes.ts";

/*
 * With one-time codes or a passkey, the password alone is not enough to sign in. Recovery codes exist as long as one of
 * these does.
 */

export interface SecondFactors {
  codes: boolean;
  passkeys: PasskeyRow[];
  /** The number of recovery codes that are left. */
  recoveryCodes: number;
}

export function secondFactorsOf(db: Reads, userId: number): SecondFactors {
  return {
    codes: hasCodes(db, userId),
    passkeys: passkeysOf(db, userId),
    recoveryCodes: countRecoveryCodes(db, userId),
  };
}

export function hasSecondFactor(db: Reads, userId: number): boolean {
  return (
    db.get(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM one_time_codes WHERE user_id = +$userId)
         OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = +$userId)`,
      { userId },
    ) !== null
  );
}

/**
 * Adds a second factor in a transaction. Returns the recovery codes that come with the first one; null with others, and if
 * `add` refuses.
 */
export function addSecondFactor(
  ctx: Context,
  changer: Changer,
  change: SignInChange,
  add: (tx: Tx) => boolean,
): { recoveryCodes: string[] | null; added: boolean } {
  return ctx.db.transaction((tx) => {
    const { userId } = changer;
    const isFirst = !hasSecondFactor(tx, userId);
    const added = add(tx);
    if (added) reportSignInChange(ctx, tx, changer, change);
    return { added, recoveryCodes: added && isFirst ? replaceRecoveryCodes(ctx, tx, userId) : null };
  });
}

/** Removes a second factor, unless `remove` finds none. The recovery codes end with the last one. */
export function removeSecondFactor(
  ctx: Context,
  changer: Changer,
  change: SignInChange,
  remove: (tx: Tx) => boolean,
): void {
  const { userId } = changer;
  ctx.db.transaction((tx) => {
    keepWayIn(ctx, tx, userId, () => {
      if (remove(tx)) reportSignInChange(ctx, tx, changer, change);
    });
    if (!hasSecondFactor(tx, userId)) deleteRecoveryCodes(tx, userId);
  });
}

/** New recovery codes, for users who have used or lost theirs. */
export function renewRecoveryCodes(ctx: Context, changer: Changer): string[] {
  return ctx.db.transaction((tx) => {
    reportSignInChange(ctx, tx, changer, "recovery_codes");
    return replaceRecoveryCodes(ctx, tx, changer.userId);
  });
}

/** Removes all second factors: for users who have lost theirs. False if there was none. */
export function removeSecondFactors(ctx: Context, userId: number): boolean {
  return ctx.db.transaction((tx) => {
    const had = hasSecondFactor(tx, userId);
    deleteCodes(tx, userId);
    deletePasskeys(tx, userId);
    deleteRecoveryCodes(tx, userId);
    return had;
  });
}

/**
 * Checks a code of the authenticator app or a recovery code; null if it is wrong. The function that is returned uses it
 * up, and is false if it was used meanwhile.
 */
export async function checkTyped(ctx: Context, userId: number, typed: string): Promise<((tx: Tx) => boolean) | null> {
  if (isCode(typed)) return checkCode(ctx, userId, typed);
  return (tx) => useRecoveryCode(tx, userId, typed);
}
