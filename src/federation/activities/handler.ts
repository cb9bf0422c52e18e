import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import type { Activity } from "../read/activity.ts";

/** The account that signed an activity. It is known here, and not suspended. */
export interface Sender {
  id: number;
  uri: string;
  host: string;
}

/** Writes what follows from an activity. It may throw a Refusal before it writes: then the activity has no effect. */
export type Apply = (tx: Tx) => void;

/**
 * Decides what follows from an activity that its sender signed; null if nothing does. Only handlers that fetch something
 * return a promise, so that the others can share a transaction. `apply` runs later, so it checks again whatever may have
 * changed.
 *
 * @throws FetchError if something is unavailable
 */
export type Handler = (ctx: Context, sender: Sender, activity: Activity) => Apply | null | Promise<Apply | null>;
