import { saveRemoteEmojis } from "../../src/core/remote-media/remote-emojis.ts";
import { idAt } from "../../src/lib/ids.ts";
import type { Client } from "./client.ts";
import type { TestServer } from "./server.ts";

/*
 * Rows that no endpoint creates yet, such as data from other servers, and blocks and mutes without their side effects,
 * to test that every reader respects them.
 */

export function block(server: TestServer, who: Client, target: { id: string }): void {
  server.ctx.db.transaction((tx) =>
    tx.run("INSERT INTO blocks (account_id, target_account_id, created_at) VALUES ($whoId, $targetId, $now)", {
      whoId: Number(who.id),
      targetId: Number(target.id),
      now: server.clock.now(),
    }),
  );
}

/** `until` is in milliseconds since 1970; without it the mute is permanent. */
export function mute(
  server: TestServer,
  who: Client,
  target: { id: string },
  { until = null, notifications = true }: { until?: number | null; notifications?: boolean } = {},
): void {
  server.ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO mutes (account_id, target_account_id, hide_notifications, expires_at, created_at)
       VALUES ($whoId, $targetId, $notifications, $until, $now)`,
      {
        whoId: Number(who.id),
        targetId: Number(target.id),
        notifications: notifications ? 1 : 0,
        until,
        now: server.clock.now(),
      },
    ),
  );
}

/** Adds a remote account and returns its id. */
export function remoteAccount(server: TestServer, username: string, domain: string): string {
  const { ctx, clock } = server;
  const id = ctx.ids.next();
  ctx.db.transaction((tx) =>
    tx.run(
      "INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at) VALUES ($id, $username, $domain, $uri, $url, $now, $now)",
      {
        id,
        username,
        domain,
        uri: `https://${domain}/users/${username}`,
        url: `https://${domain}/@${username}`,
        now: clock.now(),
      },
    ),
  );
  return String(id);
}

/** Lets a remote account follow a local one or request to, with the notification, as federation will. */
export function remoteFollows(
  server: TestServer,
  from: string,
  to: Client,
  table: "follows" | "follow_requests" = "follows",
): void {
  server.ctx.db.transaction((tx) => {
    tx.run(`INSERT INTO ${table} (account_id, target_account_id, created_at) VALUES ($from, $toId, 1)`, {
      from: Number(from),
      toId: Number(to.id),
    });
    tx.run(
      "INSERT INTO notifications (account_id, type, from_account_id, created_at) VALUES ($toId, $type, $from, 1)",
      { toId: Number(to.id), type: table === "follows" ? "follow" : "follow_request", from: Number(from) },
    );
    if (table === "follow_requests") return;
    tx.run("UPDATE accounts SET followers_count = followers_count + 1 WHERE id = $toId", { toId: Number(to.id) });
  });
}

/** Adds a public remote status, dated now or `at` (milliseconds since 1970), and returns its id. */
export function remoteStatus(
  server: TestServer,
  accountId: string,
  text: string,
  { at, hasMedia = false }: { at?: number; hasMedia?: boolean } = {},
): string {
  const { ctx, clock } = server;
  const id = at === undefined ? ctx.ids.next() : idAt(at);
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO statuses (id, account_id, uri, url, local, visibility, content, conversation_id, has_media, created_at)
       VALUES ($id, $accountId, $uri, $uri, 0, 'public', $content, $id, $hasMedia, $at)`,
      {
        id,
        accountId: Number(accountId),
        uri: `https://elsewhere.example/${id}`,
        content: `<p>${text}</p>`,
        hasMedia: hasMedia ? 1 : 0,
        at: at ?? clock.now(),
      },
    ),
  );
  return String(id);
}

/** Adds an emoji of another server. */
export function remoteEmoji(
  { ctx }: TestServer,
  shortcode: string,
  domain: string,
  imageUrl = `https://${domain}/${shortcode}.png`,
  updatedAt: number | null = null,
): void {
  const emoji = { shortcode, imageUrl, uri: `https://${domain}/emojis/${shortcode}`, updatedAt };
  ctx.db.transaction((tx) => saveRemoteEmojis(ctx, tx, domain, [emoji]));
}
