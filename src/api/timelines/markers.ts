import type { Context } from "../../context.ts";
import { MARKED_TIMELINES, type MarkedTimeline, markersOf, moveMarkers } from "../../core/timelines/markers.ts";
import { timestamp } from "../../entities/json.ts";
import { validationFailed } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { id, int, list, object, oneOf, optional } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

const Position = optional(object({ last_read_id: id(), version: optional(int()) }));

/**
 * Mastodon's documentation: methods/markers. A user's reading position, shared between their apps. The parameter
 * `version` is Linnet's own: the documentation mentions conflicts but gives apps no way to say which marker they know.
 * An app that sends a `version` other than the current one gets 409.
 */
export function markerRoutes(routes: Router): void {
  const Wanted = object({ timeline: optional(list(oneOf(MARKED_TIMELINES, { lenient: true }))) });
  const Positions = object({ home: Position, notifications: Position });
  routes
    .get(
      "/api/v1/markers",
      { scope: "read:statuses", input: Wanted, summary: "Get your reading positions in timelines" },
      ({ ctx, viewerId, input }) => showMarkers(ctx, viewerId, input.timeline ?? []),
    )
    .post(
      "/api/v1/markers",
      { scope: "write:statuses", input: Positions, summary: "Save your reading positions in timelines" },
      ({ ctx, viewerId, input }) => {
        const positions = MARKED_TIMELINES.flatMap((timeline) => {
          const given = input[timeline];
          return given ? [{ timeline, lastReadId: positionOf(given.last_read_id), version: given.version }] : [];
        });
        moveMarkers(ctx, viewerId, positions);
        const moved = positions.map(({ timeline }) => timeline);
        return showMarkers(ctx, viewerId, moved);
      },
    );
}

function positionOf(text: string): number {
  const lastReadId = parseId(text);
  if (lastReadId === null) throw validationFailed("Last read is not a valid id");
  return lastReadId;
}

/** Mastodon's Marker (entities/Marker) by timeline; markers that were never set are missing. */
function showMarkers(ctx: Context, accountId: number, timelines: readonly MarkedTimeline[]) {
  const rows = markersOf(ctx.db, accountId, timelines);
  return Object.fromEntries(
    rows.map(({ timeline, last_read_id, version, updated_at }) => [
      timeline,
      { last_read_id: String(last_read_id), version, updated_at: timestamp(updated_at) },
    ]),
  );
}
