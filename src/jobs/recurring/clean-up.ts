import type { Context } from "../../context.ts";
import { deleteUnusedKeys } from "../../core/people/account-keys.ts";
import { removeOldSentFollows } from "../../core/people/sent-follows.ts";
import { removeOldImports } from "../../core/transfer/imports.ts";
import { removeExpiredTokens } from "../../core/mail/email-tokens.ts";
import { removeOldAttempts } from "../../core/sign-in/provider-attempts.ts";
import { removeUnconfirmed } from "../../core/people/registrations.ts";
import { deleteOldActivity } from "../../core/server/weekly-stats.ts";
import { removeOldRelayCounts } from "../../core/moderation/relays.ts";
import { removeUnused } from "../../core/discovery/cards.ts";
import { TIMELINE_LENGTH } from "../../core/timelines/list-timelines.ts";
import { giveUpOlder } from "../../core/media/process.ts";
import { removeOldFetches } from "../../core/fetches.ts";
import { removeOldTombstones } from "../../core/tombstones.ts";
import { filesOf, type MediaFiles } from "../../core/media/states.ts";
import { discardFiles } from "../../core/media/stored-files.ts";
import type { Tx } from "../../db/open.ts";
import { removeOldHosts } from "../../federation/delivery/hosts.ts";
import { removeOldRefusals } from "../../federation/delivery/status-deliveries.ts";
import { scheduleNext } from "../recurring.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;
/** Far longer than many videos in a row take on a slow machine; an older upload was lost. */
const MAX_PROCESSING = DAY / 2;
const MAX_FILES = 500;
/** How much longer the files of an archive wait for their posts, so that an interrupted import finds them again. */
const IMPORTED_FOR = 7 * DAY;
/** How long an expired token is reported as expired instead of unknown. */
const EXPIRED_FOR = 30 * DAY;

/** Removes expired rows, the oldest entries of long timelines, and uploads that were never used. */
export function cleanUp(ctx: Context): void {
  const now = ctx.clock.now();
  ctx.db.transaction((tx) => {
    tx.run("DELETE FROM oauth_codes WHERE expires_at < +$now", { now });
    tx.run("DELETE FROM sessions WHERE expires_at < +$now", { now });
    tx.run("DELETE FROM pending_sign_ins WHERE expires_at < +$now", { now });
    tx.run("DELETE FROM used_challenges WHERE expires_at < +$now", { now });
    removeExpiredTokens(ctx, tx);
    removeOldAttempts(ctx, tx);
    removeUnconfirmed(ctx, tx);
    tx.run("DELETE FROM oauth_tokens WHERE expires_at < +$expiresAt", { expiresAt: now - EXPIRED_FOR });
    tx.run("DELETE FROM idempotency_keys WHERE created_at < +$createdAt", { createdAt: now - HOUR });
    tx.run("DELETE FROM mutes WHERE expires_at <= +$now", { now });
    deleteOldActivity(tx, now);
    deleteUnusedKeys(tx, now);
    tx.run("DELETE FROM retired_remote_keys WHERE retired_at < +$before", { before: now - DAY });
    prune(tx, "home_timeline", "account_id", "SELECT account_id AS id FROM users");
    prune(tx, "list_timeline", "list_id", "SELECT id FROM lists");
    giveUpOlder(ctx, tx, now - MAX_PROCESSING);
    removeUnattachedMedia(ctx, tx, now - DAY);
    removeUnused(ctx, tx);
    removeOldTombstones(ctx, tx);
    removeOldFetches(ctx, tx);
    removeOldHosts(ctx, tx);
    removeOldRelayCounts(ctx, tx);
    removeOldSentFollows(ctx, tx);
    removeOldImports(ctx, tx);
    removeOldRefusals(ctx, tx);
    scheduleNext(ctx, tx, "clean_up");
  });
}

/** Cuts each timeline of a table to its maximum length. `all` selects the ids for the column `owner`. */
function prune(tx: Tx, table: "home_timeline" | "list_timeline", owner: "account_id" | "list_id", all: string): void {
  for (const { id } of tx.all<{ id: number }>(all)) {
    tx.run(
      `DELETE FROM ${table} WHERE ${owner} = +$id AND status_id < (
         SELECT status_id FROM ${table} WHERE ${owner} = +$id ORDER BY status_id DESC LIMIT 1 OFFSET +$offset)`,
      { id, offset: TIMELINE_LENGTH - 1 },
    );
  }
}

function removeUnattachedMedia(ctx: Context, tx: Tx, before: number): void {
  const old = tx.all<MediaFiles & { id: number }>(
    `SELECT id, file, small, source FROM media_attachments
     WHERE status_id IS NULL AND scheduled_status_id IS NULL AND created_at < +$before
       AND (created_at < +$importedBefore OR id NOT IN (SELECT media_id FROM imported_media))
     LIMIT +$limit`,
    { before, importedBefore: before - IMPORTED_FOR, limit: MAX_FILES },
  );
  for (const { id } of old) tx.run("DELETE FROM media_attachments WHERE id = +$id", { id });
  discardFiles(ctx, tx, old.flatMap(filesOf));
}
