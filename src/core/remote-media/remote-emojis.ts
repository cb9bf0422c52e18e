import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";

/** A custom emoji of another server. */
export interface RemoteEmoji {
  shortcode: string;
  imageUrl: string;
  uri: string | null;
  /** When its server changed the image, in milliseconds since 1970; null if unknown. */
  updatedAt: number | null;
}

/** Writes nothing if the emoji is known already: a change clears the cached statuses and accounts. */
const SAVE = `
  INSERT INTO custom_emojis
    (shortcode, domain, uri, image_remote_url, remote_updated_at, visible_in_picker, created_at, updated_at)
  VALUES ($shortcode, $domain, $uri, $imageUrl, $updatedAt, 1, $now, $now)
  ON CONFLICT (coalesce(domain, ''), shortcode) DO UPDATE SET uri = excluded.uri,
    image_remote_url = excluded.image_remote_url, remote_updated_at = excluded.remote_updated_at, updated_at = $now
  WHERE image_remote_url IS NOT NULL AND coalesce(excluded.remote_updated_at, 0) >= coalesce(remote_updated_at, 0)
    AND (image_remote_url <> excluded.image_remote_url OR remote_updated_at IS NOT excluded.remote_updated_at)`;

/** Emoji of one server: all of them are read together, and a server could invent new ones with every post. */
const MAX_PER_DOMAIN = 5000;
const COUNT = "SELECT count(*) AS count FROM custom_emojis WHERE coalesce(domain, '') = +$domain";
const IS_KNOWN = "SELECT 1 FROM custom_emojis WHERE coalesce(domain, '') = +$domain AND shortcode = +$shortcode";

/** Adds or updates the custom emoji of a domain, as one of its posts or profiles names them. An older image changes nothing. */
export function saveRemoteEmojis(ctx: Context, tx: Tx, domain: string, emojis: readonly RemoteEmoji[]): void {
  let room: number | null = null;
  for (const { shortcode, imageUrl, uri, updatedAt } of emojis) {
    if (!tx.get(IS_KNOWN, { domain, shortcode })) {
      room ??= MAX_PER_DOMAIN - tx.get<{ count: number }>(COUNT, { domain })!.count;
      if (room <= 0) continue;
      room -= 1;
    }
    tx.run(SAVE, { shortcode, domain, uri, imageUrl, updatedAt, now: ctx.clock.now() });
  }
}
