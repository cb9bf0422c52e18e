import type { Context } from "../context.ts";

/** The URL of a file in the media folder. */
export function mediaUrl(ctx: Context, file: string): string {
  return `${ctx.config.origin}/media/${file}`;
}

/** The URL for a missing picture: apps recognise a path with this ending as "none". */
export function missingPicture(ctx: Context, kind: "avatars" | "headers"): string {
  return `${ctx.config.origin}/${kind}/original/missing.png`;
}
