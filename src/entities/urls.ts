import type { Context } from "../context.ts";

/** Where a file below the media folder is found. */
export function mediaUrl(ctx: Context, file: string): string {
  return `${ctx.config.origin}/media/${file}`;
}

/** What stands where there is no picture: apps take a path that ends so for "none". */
export function missingPicture(ctx: Context, kind: "avatars" | "headers"): string {
  return `${ctx.config.origin}/${kind}/original/missing.png`;
}
