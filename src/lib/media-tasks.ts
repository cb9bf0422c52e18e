import { copyClip, coverOf, inspectClip } from "./clips.ts";

/** Everything that reads media which people sent. It runs in a process of its own: see media-processes.ts. */
export const TASKS = { copyClip, coverOf, inspectClip };
