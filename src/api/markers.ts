import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { timestamp } from "../entities/urls.ts";
import { validationFailed } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { id, list, object, oneOf, optional } from "../lib/input.ts";
import type { Router } from "./router.ts";

const TIMELINES = ["home", "notifications"] as const;
type Timeline = (typeof TIMELINES)[number];

interface MarkerRow {
  timeline: Timeline;
  last_read_id: number;
  version: number;
  updated_at: number;
}

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

function markersOf(ctx: Context, accountId: number, timelines: readonly Timeline[]) {
  const rows = ctx.db.all<MarkerRow>(
    `SELECT timeline, last_read_id, version, updated_at FROM markers
     WHERE account_id = ? AND timeline IN (SELECT value FROM json_each(?))`,
    accountId,
    JSON.stringify(timelines),
  );
  return Object.fromEntries(
    rows.map((row) => [
      row.timeline,
      { last_read_id: String(row.last_read_id), version: row.version, updated_at: timestamp(row.updated_at) },
    ]),
  );
}

function move(ctx: Context, tx: Tx, accountId: number, timeline: Timeline, lastReadId: string): void {
  const parsed = parseId(lastReadId);
  if (parsed === null) throw validationFailed("Last read is not a valid id");
  tx.run(
    `INSERT INTO markers (account_id, timeline, last_read_id, version, updated_at) VALUES (?, ?, ?, 1, ?)
     ON CONFLICT (account_id, timeline) DO UPDATE
     SET last_read_id = excluded.last_read_id, version = version + 1, updated_at = excluded.updated_at`,
    accountId,
    timeline,
    parsed,
    ctx.clock.now(),
  );
}
