import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { idList } from "../../db/json.ts";
import { programIn, systemIn } from "./user-agents.ts";
import { mailLater } from "../mail/mail-queue.ts";
import { notify } from "../notifications/notifications.ts";

/** A browser, or another program, as its request describes it. */
export interface Client {
  address: string;
  userAgent: string;
}

/** A sign-in from a new browser, with the language and time zone of its user. */
export interface NewBrowserRow {
  id: number;
  address: string;
  user_agent: string;
  created_at: number;
  locale: string;
  time_zone: string | null;
}

/** How long a sign-in from a new browser is remembered. */
const REMEMBERED = 365 * 24 * 3600_000;

export interface SignIn {
  userId: number;
  client: Client;
  /** Whether the user has signed in with this browser before. */
  isKnownBrowser: boolean;
  /** The language of the page on which the user signed in. */
  language: string;
}

/** Users who were added by a command have no language of their own until they sign in. */
const RECORD = `
  UPDATE users SET signed_in_at = $now,
    locale = CASE WHEN signed_in_at IS NULL AND page_language IS NULL AND locale = 'en' THEN $language ELSE locale END
  WHERE id = +$userId`;

/**
 * Records a sign-in. If it comes from a new browser, the user gets a notification and the log a line, unless it is the
 * first sign-in at all.
 */
export function recordSignIn(ctx: Context, tx: Tx, { userId, client, isKnownBrowser, language }: SignIn): void {
  const user = tx.get<{ account_id: number; username: string; signed_in_at: number | null }>(
    `SELECT u.account_id, a.username, u.signed_in_at FROM users u JOIN accounts a ON a.id = u.account_id
     WHERE u.id = +$userId`,
    { userId },
  )!;
  const now = ctx.clock.now();
  tx.run(RECORD, { now, userId, language });
  if (isKnownBrowser || user.signed_in_at === null) return;
  tx.run("DELETE FROM new_browsers WHERE user_id = +$userId AND created_at < +$before", {
    userId,
    before: now - REMEMBERED,
  });
  const { lastInsertRowid: aboutId } = tx.run(
    `INSERT INTO new_browsers (user_id, address, user_agent, created_at) VALUES ($userId, $address, $userAgent, $now)`,
    { userId, address: client.address, userAgent: client.userAgent, now },
  );
  const { account_id: accountId, username } = user;
  notify(ctx, tx, accountId, { type: "linnet.sign_in", from: accountId, statusId: null, aboutId });
  const { address } = client;
  // Not the header itself, which may contain anything.
  const browser = [programIn(client.userAgent), systemIn(client.userAgent)].filter(Boolean).join(" on ") || "unknown";
  mailLater(ctx, tx, { type: "new_browser", userId, aboutId });
  tx.afterCommit(() =>
    ctx.log.info("Sign-in from a new browser: address={address} user={user} browser={browser}", {
      address,
      user: username,
      browser,
    }),
  );
}

export function newBrowsersWith(db: Reads, ids: readonly number[]): NewBrowserRow[] {
  return db.all<NewBrowserRow>(
    `SELECT n.id, n.address, n.user_agent, n.created_at, u.locale, u.time_zone FROM json_each($ids) j
     JOIN new_browsers n ON n.id = j.value JOIN users u ON u.id = n.user_id`,
    { ids: idList(ids) },
  );
}
