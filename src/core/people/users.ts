import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Refusal, ValidationRefusal, type Problem } from "../../errors.ts";
import { reportSignInChange } from "../mail/sign-in-changes.ts";
import { notify } from "../notifications/notifications.ts";
import { cannotSignIn } from "../visibility.ts";
import { fixAddress } from "../server/server-address.ts";
import type { KeyPair } from "../../lib/signatures.ts";
import { accountUri, accountUrl, nameInHandle } from "../addresses.ts";
import { saveKey } from "./account-keys.ts";

export const ROLES = ["owner", "admin", "moderator", "user"] as const;
export type Role = (typeof ROLES)[number];

export interface NewUser {
  username: string;
  password: string;
  /** By default, the first user becomes the owner and all others have the role `user`. */
  role?: Role;
  email?: string;
  displayName?: string;
  locale?: string;
  /** False for a sign-up that is pending approval. */
  approved?: boolean;
  /** Whether the e-mail address must be confirmed before it is used. */
  unconfirmed?: boolean;
  /** Why the user wants an account, in their own words. */
  reason?: string;
  /** Refuses if there is another user, even one created while the password was hashed. */
  onlyAsFirst?: boolean;
}

const MIN_PASSWORD = 8;
/** Argon2id accepts any length, so a limit stops requests that cost too much CPU time. */
export const MAX_PASSWORD = 256;

/** Mastodon's limit. */
export const MAX_DISPLAY_NAME = 30;

/** Problems of a new user: the field, Mastodon's error code and Rails' message. */
const PROBLEMS = {
  username_blank: ["username", "ERR_BLANK", "can't be blank"],
  username_too_long: ["username", "ERR_TOO_LONG", "is too long (maximum is 30 characters)"],
  username_invalid: ["username", "ERR_INVALID", "must contain only letters, numbers and underscores"],
  username_taken: ["username", "ERR_TAKEN", "has already been taken"],
  password_blank: ["password", "ERR_BLANK", "can't be blank"],
  password_too_short: ["password", "ERR_TOO_SHORT", `is too short (minimum is ${MIN_PASSWORD} characters)`],
  password_too_long: ["password", "ERR_TOO_LONG", `is too long (maximum is ${MAX_PASSWORD} characters)`],
  email_invalid: ["email", "ERR_INVALID", "is invalid"],
  email_is_handle: ["email", "ERR_BLOCKED", "must not be at the domain of this server's handles"],
  email_taken: ["email", "ERR_TAKEN", "has already been taken"],
  display_name_too_long: ["display_name", "ERR_TOO_LONG", `is too long (maximum is ${MAX_DISPLAY_NAME} characters)`],
} as const;

export type UserProblem = keyof typeof PROBLEMS;

/** All problems of a new user, for a page that words them itself. */
export function userProblems(ctx: Context, user: Omit<NewUser, "role">): UserProblem[] {
  const problems = [
    usernameProblem(ctx, user.username.trim()),
    passwordProblem(user.password),
    emailProblem(ctx, user.email?.trim() || null, user.username.trim()),
    [...(user.displayName ?? "")].length > MAX_DISPLAY_NAME ? ("display_name_too_long" as const) : null,
  ];
  return problems.filter((problem) => problem !== null);
}

/** A validated new user, with the password hash and the account's keys. */
export interface PreparedUser extends NewUser {
  passwordHash: string;
  keys: KeyPair;
}

/**
 * Creates a local account and its user.
 *
 * @throws ValidationRefusal with all problems
 */
export async function createUser(ctx: Context, user: NewUser): Promise<{ userId: number; accountId: number }> {
  const prepared = await prepareUser(ctx, user);
  return ctx.db.transaction((tx) => insertUser(ctx, tx, prepared));
}

/** Validates a user, hashes the password and generates keys: too slow for the transaction that inserts the user. */
export async function prepareUser(ctx: Context, user: NewUser): Promise<PreparedUser> {
  refuseFor(userProblems(ctx, user));
  const [passwordHash, keys] = await Promise.all([hashPassword(ctx, user.password), ctx.generateKeys()]);
  return { ...user, passwordHash, keys };
}

export function insertUser(ctx: Context, tx: Tx, user: PreparedUser): { userId: number; accountId: number } {
  // The username may have been taken while the password was hashed.
  refuseFor(userProblems(ctx, user));
  if (user.onlyAsFirst && hasUsers(ctx)) throw new Refusal("conflict", "This server already has an owner");
  fixAddress(ctx, tx);
  const username = user.username.trim();
  const accountId = ctx.ids.next();
  const email = user.email?.trim() || null;
  const now = ctx.clock.now();
  tx.run(
    `INSERT INTO accounts (id, username, display_name, uri, url, created_at, updated_at)
     VALUES ($accountId, $username, $displayName, $uri, $url, $now, $now)`,
    {
      accountId,
      username,
      displayName: user.displayName?.trim() ?? "",
      uri: accountUri(ctx, username),
      url: accountUrl(ctx, username),
      now,
    },
  );
  saveKey(ctx, tx, accountId, user.keys);
  const { lastInsertRowid: userId } = tx.run(
    `INSERT INTO users (account_id, email, unconfirmed_email, password_hash, role, locale, approved, reason, created_at)
     VALUES ($accountId, $email, $unconfirmedEmail, $passwordHash, $role, $locale, $approved, $reason, $now)`,
    {
      accountId,
      email: user.unconfirmed ? null : email,
      unconfirmedEmail: user.unconfirmed ? email : null,
      passwordHash: user.passwordHash,
      role: user.role ?? (hasUsers(ctx) ? "user" : "owner"),
      locale: user.locale ?? "en",
      approved: user.approved === false ? 0 : 1,
      reason: user.reason ?? null,
      now,
    },
  );
  return { userId, accountId };
}

export interface UserRow {
  id: number;
  account_id: number;
  username: string;
  email: string | null;
  /** An address that the user has not confirmed yet. */
  unconfirmed_email: string | null;
  role: Role;
  /** 0 while a sign-up is pending, 1 after its approval. */
  approved: number;
  /** 1 if sign-in is disabled. */
  disabled: number;
  suspended_at: number | null;
  /** 1 if the user is suspended or disabled. */
  shut_out: number;
  reason: string | null;
  created_at: number;
}

/** The columns of a UserRow, from `users u` and `accounts a`. */
export const USER_COLUMNS = `
  u.id, u.account_id, a.username, u.email, u.unconfirmed_email, u.role, u.approved, u.disabled,
  a.suspended_at, u.disabled OR a.suspended_at IS NOT NULL AS shut_out, u.reason, u.created_at`;

const USERS = `SELECT ${USER_COLUMNS} FROM users u JOIN accounts a ON a.id = u.account_id`;

/** Facts about a user besides the row, for the owner. */
export interface UserDetails {
  display_name: string;
  statuses_count: number;
  followers_count: number;
  following_count: number;
  uploads: number;
  upload_bytes: number;
  tokens: number;
  passkeys: number;
  /** 1 if an authenticator app is set up. */
  has_codes: number;
  /** When a token was last used, to the hour; null for never. */
  last_used_at: number | null;
}

const DETAILS = `
  SELECT a.display_name, a.statuses_count, a.followers_count, a.following_count,
    (SELECT count(*) FROM media_attachments WHERE account_id = a.id) AS uploads,
    (SELECT coalesce(sum(file_size), 0) FROM media_attachments WHERE account_id = a.id) AS upload_bytes,
    (SELECT count(*) FROM oauth_tokens WHERE user_id = u.id) AS tokens,
    (SELECT count(*) FROM passkeys WHERE user_id = u.id) AS passkeys,
    EXISTS (SELECT 1 FROM one_time_codes WHERE user_id = u.id) AS has_codes,
    (SELECT max(last_used_at) FROM oauth_tokens WHERE user_id = u.id) AS last_used_at
  FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.id = +$userId`;

export function userDetails(db: Reads, userId: number): UserDetails {
  return db.get<UserDetails>(DETAILS, { userId })!;
}

export function listUsers(ctx: Context): UserRow[] {
  return ctx.db.all<UserRow>(`${USERS} ORDER BY u.id`);
}

export function findUser(ctx: Context, username: string): UserRow | null {
  return ctx.db.get<UserRow>(`${USERS} WHERE lower(a.username) = lower($username) AND a.domain IS NULL`, { username });
}

export function hasUsers(ctx: Context): boolean {
  return ctx.db.get("SELECT 1 FROM users LIMIT 1") !== null;
}

const PEOPLE = `
  SELECT a.id FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.approved AND a.suspended_at IS NULL AND (u.role = 'owner' OR a.discoverable) ORDER BY u.id LIMIT +$limit`;

/** The accounts listed on the start page: owners and discoverable accounts, oldest first. */
export function listedAccounts(db: Reads, limit: number): number[] {
  return db.all<{ id: number }>(PEOPLE, { limit }).map(({ id }) => id);
}

const SOLE = `
  SELECT u.account_id AS id FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.approved AND a.suspended_at IS NULL ORDER BY u.id LIMIT 2`;

/** The account of the only user of this server; null if there are none or several. */
export function soleAccount(db: Reads): number | null {
  const found = db.all<{ id: number }>(SOLE, {});
  return found.length === 1 ? found[0]!.id : null;
}

/** Whether a sign-up waits for the user to confirm the e-mail address. Until then nobody sees the account. */
export const AWAITS_CONFIRMATION = "(NOT u.approved AND u.email IS NULL AND u.unconfirmed_email IS NOT NULL)";

/** The same for a row. */
export function awaitsConfirmation(user: Pick<UserRow, "approved" | "email" | "unconfirmed_email">): boolean {
  return !user.approved && user.email === null && user.unconfirmed_email !== null;
}

/** Whether a user may decide about the whole server. */
export function isOwner(db: Reads, userId: number): boolean {
  return db.get("SELECT 1 FROM users WHERE id = +$userId AND role = 'owner'", { userId }) !== null;
}

/** Approves a pending sign-up and notifies the staff. */
export function approveUser(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) => approveWithin(ctx, tx, userId));
}

export function approveWithin(ctx: Context, tx: Tx, userId: number): void {
  const user = tx.get<{ account_id: number }>(
    "UPDATE users SET approved = 1 WHERE id = +$userId AND NOT approved RETURNING account_id",
    { userId },
  );
  if (user) notifyStaffOfSignUp(ctx, tx, user.account_id);
}

const STAFF = `
  SELECT u.account_id FROM users u
  WHERE u.role <> 'user' AND u.approved AND NOT ${cannotSignIn("u.account_id")} ORDER BY u.id`;

/** The accounts of all owners, admins and moderators who can sign in, the oldest first. */
export function staffAccounts(db: Reads): number[] {
  return db.all<{ account_id: number }>(STAFF).map(({ account_id }) => account_id);
}

/** Notifies the staff of a new user. */
export function notifyStaffOfSignUp(ctx: Context, tx: Tx, accountId: number): void {
  for (const staffId of staffAccounts(tx)) {
    notify(ctx, tx, staffId, { type: "admin.sign_up", from: accountId, statusId: null });
  }
}

/** Rejects and deletes a pending sign-up, which frees its username. */
export function rejectUser(ctx: Context, userId: number): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM accounts WHERE id = (SELECT account_id FROM users WHERE id = +$userId AND NOT approved)", {
      userId,
    }),
  );
}

/** Whether this user is the only owner who can sign in. */
export function isLastOwner(db: Reads, userId: number): boolean {
  const last = db.get(
    `SELECT 1 FROM users WHERE id = +$userId AND role = 'owner' AND NOT EXISTS (
       SELECT 1 FROM users u JOIN accounts a ON a.id = u.account_id
       WHERE u.role = 'owner' AND u.id <> +$userId AND u.approved AND NOT u.disabled AND a.suspended_at IS NULL)`,
    { userId },
  );
  return last !== null;
}

/** Refuses if this user is the only owner who can sign in. */
export function refuseForLastOwner(tx: Tx, userId: number, username: string): void {
  if (isLastOwner(tx, userId))
    throw new Refusal("conflict", `@${username} is the only owner of this server. Make another user an owner first.`);
}

function refuseIfPending(tx: Tx, userId: number, username: string): void {
  if (!tx.get("SELECT 1 FROM users WHERE id = +$userId AND NOT approved", { userId })) return;
  throw new Refusal("conflict", `@${username} is a pending sign-up. Approve it before you make it an owner.`);
}

/** Undefined properties stay unchanged. */
export interface UserChanges {
  /** Null removes the address. */
  email?: string | null | undefined;
  role?: Role | undefined;
}

/** @throws Refusal for an unusable address, if the last owner would lose that role, or if a pending user would get it */
export function updateUser(ctx: Context, user: UserRow, { email, role }: UserChanges): void {
  ctx.db.transaction((tx) => {
    if (email !== undefined) {
      const address = email?.trim() || null;
      const problem = emailProblem(ctx, address, user.username, user.id);
      if (problem) refuseFor([problem]);
      tx.run("UPDATE users SET email = $address, unconfirmed_email = NULL WHERE id = +$userId", {
        address,
        userId: user.id,
      });
      tx.run(END_RESETS, { userId: user.id });
    }
    if (role === undefined) return;
    if (role === "owner") refuseIfPending(tx, user.id, user.username);
    else refuseForLastOwner(tx, user.id, user.username);
    tx.run("UPDATE users SET role = $role WHERE id = +$userId", { role, userId: user.id });
  });
}

interface NewPassword {
  /** The session that stays, or all. */
  keeps?: number | "all";
  /** The IP address of the user's browser; null for a command. */
  address?: string | null;
}

/** Sets a new password and ends all unfinished sign-ins, and all sessions but those to keep. */
export async function resetPassword(
  ctx: Context,
  userId: number,
  password: string,
  { keeps = 0, address = null }: NewPassword = {},
): Promise<void> {
  const passwordHash = await hashNewPassword(ctx, password);
  ctx.db.transaction((tx) => {
    storePassword(tx, userId, passwordHash);
    if (address !== null) reportSignInChange(ctx, tx, { userId, address }, "password");
    if (keeps === "all") return;
    tx.run("DELETE FROM sessions WHERE user_id = +$userId AND id <> +$keeps", { userId, keeps });
    tx.run("DELETE FROM home_feeds WHERE user_id = +$userId", { userId });
  });
}

/** @throws ValidationRefusal for an unusable password */
export function hashNewPassword(ctx: Context, password: string): Promise<string> {
  const problem = passwordProblem(password);
  if (problem) refuseFor([problem]);
  return hashPassword(ctx, password);
}

/** Also ends the sign-ins that were begun with the previous password, and the links for another one. */
export function storePassword(tx: Tx, userId: number, passwordHash: string): void {
  tx.run("UPDATE users SET password_hash = $passwordHash WHERE id = +$userId", { passwordHash, userId });
  tx.run("DELETE FROM pending_sign_ins WHERE user_id = +$userId", { userId });
  tx.run(END_RESETS, { userId });
}

const END_RESETS = "DELETE FROM email_tokens WHERE user_id = +$userId AND purpose = 'password_reset'";

export function hashPassword(ctx: Context, password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: "argon2id", ...ctx.passwords });
}

export function refuseFor(problems: UserProblem[]): void {
  if (problems.length > 0) throw new ValidationRefusal(problems.map(problemOf));
}

export function problemOf(problem: UserProblem): Problem {
  const [field, error, description] = PROBLEMS[problem];
  return { field, error, description };
}

/** Includes deleted accounts. */
const NAMED = "SELECT 1 FROM accounts WHERE lower(username) = lower($username) AND coalesce(domain, '') = ''";

function usernameProblem(ctx: Context, username: string): UserProblem | null {
  if (username === "") return "username_blank";
  if (username.length > 30) return "username_too_long";
  if (!/^[a-z0-9_]+$/i.test(username)) return "username_invalid";
  return ctx.db.get(NAMED, { username }) ? "username_taken" : null;
}

function passwordProblem(password: string): UserProblem | null {
  if (password.trim() === "") return "password_blank";
  if (password.length < MIN_PASSWORD) return "password_too_short";
  return password.length > MAX_PASSWORD ? "password_too_long" : null;
}

/** An address at the domain of the handles would be the handle of another user; see findLogin(). */
export function emailProblem(ctx: Context, email: string | null, username: string, userId = 0): UserProblem | null {
  if (email === null) return null;
  if (email.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(email)) return "email_invalid";
  const name = nameInHandle(ctx, email.normalize("NFKC").toLowerCase());
  if (name !== null && name !== username.toLowerCase()) return "email_is_handle";
  const taken = ctx.db.get("SELECT 1 FROM users WHERE lower(email) = lower($email) AND id <> +$userId", {
    email,
    userId,
  });
  return taken ? "email_taken" : null;
}
