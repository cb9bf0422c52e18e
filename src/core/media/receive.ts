import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { refuseWhere, tooLong, validationFailed } from "../../errors.ts";
import { MAX_DESCRIPTION } from "./limits.ts";

/** The fields of a request, as the client sent them. */
interface Fields {
  description?: string;
  focus?: string;
}

/** Undefined properties stay unchanged. */
export interface MediaChanges {
  description?: string | null;
  focus?: { x: number; y: number };
}

/** A received upload: the file is on disk or in memory, and its content is unknown. */
export interface Upload {
  file: File;
  /** A custom thumbnail. */
  thumbnail?: File;
  about: MediaChanges;
}

/**
 * The folder for uploads in progress and for conversions. It is on the same disk as their destination, so that files
 * can be moved, and it is never served.
 */
export function incomingFolder(ctx: Context): string {
  return join(ctx.config.data, "media", "incoming");
}

/** Removes files left behind by a crash. Call it before the first upload. */
export function clearIncoming(ctx: Context): void {
  rmSync(incomingFolder(ctx), { recursive: true, force: true });
}

/** @throws Refusal if the focus or the description is invalid */
export function receiveUpload({ file, thumbnail, ...fields }: Fields & Omit<Upload, "about">): Upload {
  const about = parseChanges(fields);
  checkDescription(about.description);
  return { file, thumbnail, about };
}

export function parseChanges({ description, focus }: Fields): MediaChanges {
  return { description, focus: focus === undefined ? undefined : parseFocus(focus) };
}

export function checkDescription(description: string | null | undefined): void {
  refuseWhere([tooLong("Description", description, MAX_DESCRIPTION)]);
}

/** Parses two numbers from -1 to 1, as `0.5,-0.2`. Numbers out of range are clamped. */
function parseFocus(text: string): { x: number; y: number } {
  const [x, y, ...rest] = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  if (x === undefined || y === undefined || rest.length > 0 || !Number.isFinite(x) || !Number.isFinite(y)) {
    throw validationFailed("Focus must be two numbers between -1.0 and 1.0, separated by a comma");
  }
  const bounded = (value: number) => Math.max(-1, Math.min(1, value));
  return { x: bounded(x), y: bounded(y) };
}
