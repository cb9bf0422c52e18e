/** @jsxImportSource preact */
import type { MarkedTimeline } from "../../core/timelines/markers.ts";

/** Where the script of the page says what is new. Screen readers announce it. */
export function News({ words: [one, many] }: { words: readonly [one: string, many: string] }) {
  return <div class="news" role="status" data-one={one} data-many={many} />;
}

/** Attributes of a list that tell the script what is newer than the page. */
export function liveFrom(timeline: MarkedTimeline, newest = 0) {
  return { "data-live": timeline, "data-newest": newest };
}
