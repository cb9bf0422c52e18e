import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import type { Identity, ProviderSettings } from "../../lib/openid/provider.ts";
import { reportSignInChange, type Changer } from "../mail/sign-in-changes.ts";

/** An account of an identity provider that a user has linked. */
export interface IdentityRow {
  id: number;
  issuer: string;
  label: string;
  created_at: number;
  last_used_at: number | null;
}

/** More than anyone needs. */
const MAX_IDENTITIES = 10;

const OF_USER = `
  SELECT id, issuer, label, created_at, last_used_at FROM identities
  WHERE user_id = +$userId ORDER BY id`;

export function identitiesOf(db: Reads, userId: number): IdentityRow[] {
  return db.all<IdentityRow>(OF_USER, { userId });
}

const OWNER = "SELECT user_id FROM identities WHERE issuer = +$issuer AND subject = +$subject";

/**
 * Links an account of a provider to a user, who can then sign in with it. Linking it again updates its label.
 *
 * @throws Refusal if it is linked to another user, or if the user has too many
 */
export function linkIdentity(
  ctx: Context,
  changer: Changer,
  { issuer }: ProviderSettings,
  { subject, label }: Identity,
): void {
  const { userId } = changer;
  ctx.db.transaction((tx) => {
    const linked = tx.get<{ user_id: number }>(OWNER, { issuer, subject });
    if (linked && linked.user_id !== userId) {
      throw new Refusal("conflict", "This account is already linked to another user of this server.");
    }
    if (!linked && identitiesOf(tx, userId).length >= MAX_IDENTITIES) {
      throw new Refusal("invalid", "You have linked too many accounts. Unlink one first.");
    }
    tx.run(
      `INSERT INTO identities (user_id, issuer, subject, label, created_at) VALUES ($userId, $issuer, $subject, $label, $now)
       ON CONFLICT (issuer, subject) DO UPDATE SET label = excluded.label`,
      { userId, issuer, subject, label, now: ctx.clock.now() },
    );
    if (!linked) reportSignInChange(ctx, tx, changer, "identity_linked");
  });
}

/** The user who has linked this account. Only the issuer and the subject count, never an e-mail address. */
export function userWithIdentity(ctx: Context, { issuer }: ProviderSettings, { subject }: Identity): number | null {
  return ctx.db.get<{ user_id: number }>(OWNER, { issuer, subject })?.user_id ?? null;
}

export function recordIdentityUse(ctx: Context, { issuer }: ProviderSettings, { subject, label }: Identity): void {
  ctx.db.transaction((tx) =>
    tx.run(
      "UPDATE identities SET last_used_at = $now, label = $label WHERE issuer = +$issuer AND subject = +$subject",
      { now: ctx.clock.now(), label, issuer, subject },
    ),
  );
}

/**
 * Unlinks an account of a provider.
 *
 * @throws Refusal if the user could not sign in any more
 */
export function unlinkIdentity(ctx: Context, changer: Changer, id: number): void {
  const { userId } = changer;
  ctx.db.transaction((tx) => {
    keepWayIn(ctx, tx, userId, () => {
      const { changes } = tx.run("DELETE FROM identities WHERE id = +$id AND user_id = +$userId", { id, userId });
      if (changes > 0) reportSignInChange(ctx, tx, changer, "identity_unlinked");
    });
  });
}

/** Refuses to remove the last way to sign in of a user who can't use a password (LINNET_PASSWORD_SIGN_IN). */
export function keepWayIn(ctx: Context, tx: Tx, userId: number, remove: () => void): void {
  const hadOne = canSignInWithoutPassword(ctx, tx, userId);
  remove();
  if (ctx.config.passwordSignIn || !hadOne || canSignInWithoutPassword(ctx, tx, userId)) return;
  throw new Refusal("conflict", "This is your only way to sign in. Add another one first.");
}

const PASSKEYS = "SELECT 1 FROM passkeys WHERE user_id = +$userId LIMIT 1";

/** Whether a user has linked an account of a provider that is still configured, or has a passkey. */
function canSignInWithoutPassword({ config }: Context, db: Reads, userId: number): boolean {
  const issuers = new Set(config.providers.map(({ issuer }) => issuer));
  return identitiesOf(db, userId).some(({ issuer }) => issuers.has(issuer)) || db.get(PASSKEYS, { userId }) !== null;
}

const OWNERS = `
  SELECT u.id FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.role = 'owner' AND u.approved AND NOT u.disabled AND a.suspended_at IS NULL`;

/** Refuses to turn off sign-in with passwords (LINNET_PASSWORD_SIGN_IN) while that would lock out all owners. */
export function refuseLockingOut(ctx: Context): void {
  if (ctx.config.passwordSignIn) return;
  const owners = ctx.db.all<{ id: number }>(OWNERS);
  if (owners.some(({ id }) => canSignInWithoutPassword(ctx, ctx.db, id))) return;
  throw new Refusal(
    "conflict",
    "With LINNET_PASSWORD_SIGN_IN=off, no owner could sign in. Start the server without it, sign in, and link an account of an identity provider or add a passkey in the settings.",
  );
}
