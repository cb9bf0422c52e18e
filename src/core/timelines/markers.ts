import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { markers } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";

export const MARKED_TIMELINES = markers.timeline.enumValues;
export type MarkedTimeline = (typeof MARKED_TIMELINES)[number];

type MarkerRow = Omit<typeof markers.$inferSelect, "account_id">;

/** The markers for these timelines, without those that were never set. */
export function markersOf(db: Reads, accountId: number, timelines: readonly MarkedTimeline[]): MarkerRow[] {
  return db.all<MarkerRow>(
    `SELECT timeline, last_read_id, version, updated_at FROM markers
     WHERE account_id = +$accountId AND timeline IN (SELECT value FROM json_each($timelines))`,
    { accountId, timelines: JSON.stringify(timelines) },
  );
}

/** A new position. `version` is the version of the marker that the app last saw, if given. */
export interface Position {
  timeline: MarkedTimeline;
  lastReadId: number;
  version: number | undefined;
}

/**
 * Moves all of these markers or none. The last write wins, unless a position names the version it is based on (0 for
 * none): then it is refused if another app has moved the marker since.
 */
export function moveMarkers(ctx: Context, accountId: number, positions: readonly Position[]): void {
  ctx.db.transaction((tx) => {
    for (const { timeline, lastReadId, version } of positions) {
      const current = markersOf(tx, accountId, [timeline])[0]?.version ?? 0;
      if (version !== undefined && version !== current) {
        throw new Refusal("conflict", "Conflict during update, please try again");
      }
      tx.run(
        `INSERT INTO markers (account_id, timeline, last_read_id, version, updated_at) VALUES ($accountId, $timeline, $lastReadId, $version, $now)
         ON CONFLICT (account_id, timeline)
         DO UPDATE SET last_read_id = $lastReadId, version = $version, updated_at = $now`,
        { accountId, timeline, lastReadId, version: current + 1, now: ctx.clock.now() },
      );
    }
  });
}
