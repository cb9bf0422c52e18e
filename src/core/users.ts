import type { Context } from "../context.ts";
import { validationFailed } from "../errors.ts";

export const ROLES = ["owner", "admin", "moderator", "user"] as const;
export type Role = (typeof ROLES)[number];

export interface NewUser {
  username: string;
  password: string;
  role: Role;
  email?: string;
  displayName?: string;
  locale?: string;
}

/** Names that would read as a part of the server itself, or that other servers take for its own actor. */
const RESERVED = new Set([
  "instance.actor",
  "linnet",
  "api",
  "oauth",
  "admin",
  "abuse",
  "postmaster",
  "root",
  "support",
]);
const MIN_PASSWORD = 8;
/** Argon2id takes any length, so a bound keeps a form from becoming work. */
const MAX_PASSWORD = 256;

/** Makes a local account and the user who signs in to it. Refuses with every reason at once. */
export async function createUser(ctx: Context, user: NewUser): Promise<{ userId: number; accountId: number }> {
  const username = user.username.trim();
  const email = user.email?.trim() || null;
  const problems = [
    ...usernameProblems(ctx, username),
    ...passwordProblems(user.password),
    ...emailProblems(ctx, email),
  ];
  if ((user.displayName ?? "").length > 100) problems.push("Display name is too long (maximum is 100 characters)");
  if (problems.length > 0) throw validationFailed(...problems);
  const passwordHash = await hashPassword(ctx, user.password);
  return ctx.db.transaction((tx) => {
    // Somebody may have taken the name while the password was hashed.
    const taken = usernameProblems(ctx, username);
    if (taken.length > 0) throw validationFailed(...taken);
    const accountId = ctx.ids.next();
    const now = ctx.clock.now();
    tx.run(
      `INSERT INTO accounts (id, username, display_name, uri, url, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)`,
      accountId,
      username,
      user.displayName?.trim() ?? "",
      `${ctx.config.origin}/users/${username}`,
      `${ctx.config.origin}/@${username}`,
      now,
    );
    const { lastInsertRowid: userId } = tx.run(
      "INSERT INTO users (account_id, email, password_hash, role, locale, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      accountId,
      email,
      passwordHash,
      user.role,
      user.locale ?? "en",
      now,
    );
    return { userId, accountId };
  });
}

export interface UserRow {
  id: number;
  account_id: number;
  username: string;
  email: string | null;
  role: Role;
  created_at: number;
}

const USERS =
  "SELECT u.id, u.account_id, a.username, u.email, u.role, u.created_at FROM users u JOIN accounts a ON a.id = u.account_id";

export function listUsers(ctx: Context): UserRow[] {
  return ctx.db.all<UserRow>(`${USERS} ORDER BY u.id`);
}

export function findUser(ctx: Context, username: string): UserRow | null {
  return ctx.db.get<UserRow>(`${USERS} WHERE lower(a.username) = lower(?) AND a.domain IS NULL`, username);
}

export function hasUsers(ctx: Context): boolean {
  return ctx.db.get("SELECT 1 FROM users LIMIT 1") !== null;
}

/** Who signs in with this name or e-mail address and password; null when the two don't belong together. */
export async function signIn(ctx: Context, login: string, password: string): Promise<UserRow | null> {
  const user = ctx.db.get<UserRow & { password_hash: string }>(
    `SELECT u.*, a.username FROM users u JOIN accounts a ON a.id = u.account_id
     WHERE (lower(a.username) = lower(?1) AND a.domain IS NULL) OR lower(u.email) = lower(?1)`,
    login.trim(),
  );
  // Hashing for a stranger too: the time of the answer must not tell which names exist.
  const matches = password.length <= MAX_PASSWORD && (await verify(ctx, password, user?.password_hash ?? null));
  return matches ? user : null;
}

/** Sets a new password, and ends every session that was opened with the old one. */
export async function resetPassword(ctx: Context, userId: number, password: string): Promise<void> {
  const problems = passwordProblems(password);
  if (problems.length > 0) throw validationFailed(...problems);
  const passwordHash = await hashPassword(ctx, password);
  ctx.db.transaction((tx) => {
    tx.run("UPDATE users SET password_hash = ? WHERE id = ?", passwordHash, userId);
    tx.run("DELETE FROM sessions WHERE user_id = ?", userId);
  });
}

async function verify(ctx: Context, password: string, hash: string | null): Promise<boolean> {
  if (hash !== null) return Bun.password.verify(password, hash);
  await hashPassword(ctx, password);
  return false;
}

function hashPassword(ctx: Context, password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: "argon2id", ...ctx.passwords });
}

function usernameProblems(ctx: Context, username: string): string[] {
  if (username === "") return ["Username can't be blank"];
  if (username.length > 30) return ["Username is too long (maximum is 30 characters)"];
  if (!/^[a-z0-9_]+([.-]+[a-z0-9_]+)*$/i.test(username)) {
    return ["Username must contain only letters, numbers and underscores"];
  }
  if (RESERVED.has(username.toLowerCase())) return ["Username is reserved"];
  return findUser(ctx, username) ? ["Username has already been taken"] : [];
}

function passwordProblems(password: string): string[] {
  if (password.length < MIN_PASSWORD) return [`Password is too short (minimum is ${MIN_PASSWORD} characters)`];
  return password.length > MAX_PASSWORD ? [`Password is too long (maximum is ${MAX_PASSWORD} characters)`] : [];
}

function emailProblems(ctx: Context, email: string | null): string[] {
  if (email === null) return [];
  if (email.length > 320 || !/^[^\s@]+@[^\s@]+$/.test(email)) return ["Email is invalid"];
  const taken = ctx.db.get("SELECT 1 FROM users WHERE lower(email) = lower(?)", email);
  return taken ? ["Email has already been taken"] : [];
}
