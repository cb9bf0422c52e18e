import { moveMarkers, type MarkedTimeline } from "../../core/timelines/markers.ts";
import type { UserPage } from "../page/page-request.tsx";

/**
 * Notes that the user has read up to here, for their apps, too. Only a page that is shown counts, not one that a browser
 * loads in advance. A full disk or a lock must not keep anyone from reading: then the next visit does it.
 */
export function markRead(
  page: UserPage,
  timeline: MarkedTimeline,
  before: number,
  lastReadId: number | undefined,
): void {
  const { ctx, session, request } = page;
  const isInAdvance = /prefetch|prerender/.test(request.headers.get("sec-purpose") ?? "");
  if (lastReadId === undefined || lastReadId <= before || isInAdvance) return;
  try {
    moveMarkers(ctx, session.accountId, [{ timeline, lastReadId, version: undefined }]);
  } catch (error) {
    ctx.log.warn("a reading position could not be saved: {error}", { error: String(error) });
  }
}
