import { and, eq, inArray, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { markers } from "../db/schema/index.ts";
import { timestamp } from "../entities/urls.ts";
import { validationFailed } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { id, list, object, oneOf, optional } from "../lib/input.ts";
import type { Router } from "./router.ts";

const TIMELINES = markers.timeline.enumValues;
type Timeline = (typeof TIMELINES)[number];

const Position = optional(object({ last_read_id: id() }));

/** Mastodon's documentation: methods/markers. How far somebody has read, shared between their apps. */
export function markerRoutes(routes: Router): void {
  const Wanted = object({ timeline: optional(list(oneOf(TIMELINES, { lenient: true }))) });
  routes
    .get("/api/v1/markers", { scope: "read:statuses", input: Wanted }, ({ ctx, viewerId, input }) =>
      markersOf(ctx, viewerId, input.timeline ?? []),
    )
    .post(
      "/api/v1/markers",
      { scope: "write:statuses", input: object({ home: Position, notifications: Position }) },
      ({ ctx, viewerId, input }) => {
        const wanted = TIMELINES.filter((timeline) => input[timeline]);
        ctx.db.transaction((tx) => {
          for (const timeline of wanted) move(ctx, tx, viewerId, timeline, input[timeline]!.last_read_id);
        });
        return markersOf(ctx, viewerId, wanted);
      },
    );
}

/** Mastodon's Marker (entities/Marker) by timeline; those that were never set are missing. */
function markersOf(ctx: Context, accountId: number, timelines: readonly Timeline[]) {
  const rows = ctx.db.orm
    .select()
    .from(markers)
    .where(and(eq(markers.account_id, accountId), inArray(markers.timeline, [...timelines])))
    .all();
  return Object.fromEntries(
    rows.map((row) => [
      row.timeline,
      { last_read_id: String(row.last_read_id), version: row.version, updated_at: timestamp(row.updated_at) },
    ]),
  );
}

function move(ctx: Context, tx: Tx, accountId: number, timeline: Timeline, lastReadId: string): void {
  const last_read_id = parseId(lastReadId);
  if (last_read_id === null) throw validationFailed("Last read is not a valid id");
  const updated_at = ctx.clock.now();
  tx.orm
    .insert(markers)
    .values({ account_id: accountId, timeline, last_read_id, version: 1, updated_at })
    .onConflictDoUpdate({
      target: [markers.account_id, markers.timeline],
      set: { last_read_id, version: sql`${markers.version} + 1`, updated_at },
    })
    .run();
}
