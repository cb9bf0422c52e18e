import { randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { Keyset, type Page } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { invitations } from "../../db/schema/index.ts";
import { notAllowed, notFound, Refusal, validationFailed } from "../../errors.ts";
import { localUrl } from "../addresses.ts";
import { cannotSignIn } from "../visibility.ts";
import type { Role } from "./users.ts";

export type InvitationRow = Pick<
  typeof invitations.$inferSelect,
  "id" | "code" | "max_uses" | "uses" | "expires_at" | "revoked_at" | "created_at"
> & { cursor: number; username: string };

/** Of one user, so that a stolen session can't fill the table. */
const MAX_INVITATIONS = 100;
/** 96 bits: nobody guesses it, and it fits in a line. */
const CODE_BYTES = 12;

/** Whether users with this role may invite others (LINNET_INVITATIONS). */
export function mayInvite({ config }: Context, role: Role): boolean {
  return config.invitations === "users" || (config.invitations === "staff" && role !== "user");
}

export interface NewInvitation {
  /** Null for no limit. */
  maxUses: number | null;
  expiresAt: number | null;
}

/** Invites on behalf of a user. Returns the code. */
export function createInvitation(ctx: Context, accountId: number, { maxUses, expiresAt }: NewInvitation): string {
  const code = randomBytes(CODE_BYTES).toString("base64url");
  ctx.db.transaction((tx) => {
    const user = tx.get<{ role: Role }>("SELECT role FROM users WHERE account_id = +$accountId", { accountId });
    if (!user || !mayInvite(ctx, user.role)) throw notAllowed();
    const now = ctx.clock.now();
    const { count } = tx.get<{ count: number }>(COUNT, { accountId, now })!;
    if (count >= MAX_INVITATIONS) throw validationFailed("You have reached the maximum number of invitations");
    tx.run(
      `INSERT INTO invitations (account_id, code, max_uses, expires_at, created_at)
       VALUES ($accountId, $code, $maxUses, $expiresAt, $now)`,
      { accountId, code, maxUses, expiresAt, now },
    );
  });
  return code;
}

/** An invitation `i` that can still be used, as far as its own row says. */
const IS_OPEN = `
  i.revoked_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > +$now)
  AND (i.max_uses IS NULL OR i.uses < i.max_uses)`;
const COUNT = `SELECT count(*) AS count FROM invitations i WHERE i.account_id = +$accountId AND ${IS_OPEN}`;
const ROWS = `
  SELECT i.id, i.id AS cursor, i.code, i.max_uses, i.uses, i.expires_at, i.revoked_at, i.created_at, a.username
  FROM invitations i JOIN accounts a ON a.id = i.account_id`;
const OWN = new Keyset<InvitationRow>(`${ROWS} WHERE i.account_id = +$accountId`, "i.id");

/** The user's invitations, latest first, also those that are over. */
export function invitationsOf(db: Reads, accountId: number, page: Page): InvitationRow[] {
  return OWN.page(db, page, { accountId });
}

export function listInvitations(db: Reads): InvitationRow[] {
  return db.all<InvitationRow>(`${ROWS} ORDER BY i.id DESC`);
}

export type InvitationState = "open" | "revoked" | "expired" | "used up";

export function stateOfInvitation(ctx: Context, row: InvitationRow): InvitationState {
  if (row.revoked_at !== null) return "revoked";
  if (row.expires_at !== null && row.expires_at <= ctx.clock.now()) return "expired";
  return row.max_uses !== null && row.uses >= row.max_uses ? "used up" : "open";
}

export function invitationUrl(ctx: Context, code: string): string {
  return localUrl(ctx, `/invite/${code}`);
}

const REVOKE = "UPDATE invitations SET revoked_at = coalesce(revoked_at, $now)";

/** Ends an invitation of the account. Accounts that were made with it stay. */
export function revokeInvitation(ctx: Context, accountId: number, id: number | null): void {
  const sql = `${REVOKE} WHERE id = +$id AND account_id = +$accountId`;
  const { changes } = ctx.db.transaction((tx) => tx.run(sql, { id, accountId, now: ctx.clock.now() }));
  if (changes === 0) throw notFound();
}

/** The same for an invitation of any user. Returns whether there is one with this code. */
export function revokeByCode(ctx: Context, code: string): boolean {
  const now = ctx.clock.now();
  return ctx.db.transaction((tx) => tx.run(`${REVOKE} WHERE code = +$code`, { code, now })).changes > 0;
}

/** The user who invites must still be able to sign in, and be allowed to invite. */
const BY_CODE = `
  SELECT i.id, u.role FROM invitations i JOIN users u ON u.account_id = i.account_id
  WHERE i.code = +$code AND ${IS_OPEN} AND u.approved AND NOT ${cannotSignIn("i.account_id")}`;

/** Whether a visitor can sign up with this code now. */
export function isInvited(ctx: Context, db: Reads, code: string): boolean {
  return openInvitation(ctx, db, code) !== null;
}

function openInvitation(ctx: Context, db: Reads, code: string): number | null {
  const row = db.get<{ id: number; role: Role }>(BY_CODE, { code, now: ctx.clock.now() });
  return row && mayInvite(ctx, row.role) ? row.id : null;
}

/** Uses an invitation up once, in the transaction that creates the user. Returns its id. */
export function redeemInvitation(ctx: Context, tx: Tx, code: string): number {
  const id = openInvitation(ctx, tx, code);
  if (id === null) throw invitationOver();
  tx.run("UPDATE invitations SET uses = uses + 1 WHERE id = +$id", { id });
  return id;
}

export function invitationOver(): Refusal {
  return new Refusal("forbidden", "This invitation is no longer valid. Ask for a new one.");
}
