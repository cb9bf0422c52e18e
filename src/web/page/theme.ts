import type { Context } from "../../context.ts";
import { mediaUrl } from "../../core/addresses.ts";
import type { Appearance } from "../../core/server/appearance.ts";
import { findSitePicture, SITE_PICTURES } from "../../core/server/site-pictures.ts";
import { parseColor, readableOn } from "../../lib/color.ts";
import { favicon } from "../assets.ts";

/** The grounds of cards, in assets/styles/base.css. */
const [LIGHT, DARK, WHITE] = ["#fffdfb", "#231d1a", "#ffffff"].map((color) => parseColor(color)!);

/** The owner's styles after Linnet's own; empty without any. */
export function themeOf({ accent, css }: Appearance): string {
  const color = accent === null ? null : parseColor(accent);
  return [color && accentStyles(color), css].filter(Boolean).join("\n");
}

function accentStyles(color: NonNullable<ReturnType<typeof parseColor>>): string {
  const button = `--button: ${readableOn(color, WHITE!, 4.6)}; --button-strong: ${readableOn(color, WHITE!, 6.5)};`;
  const light = `--accent: ${readableOn(color, LIGHT!, 5)}; --accent-strong: ${readableOn(color, LIGHT!, 7)};`;
  const dark = `--accent: ${readableOn(color, DARK!, 6)}; --accent-strong: ${readableOn(color, DARK!, 8)};`;
  return `:root { ${light} ${button} }\n@media screen and (prefers-color-scheme: dark) { :root { ${dark} ${button} } }`;
}

/** The path of the owner's styles, which changes with them; null without any. */
export function themePath(appearance: Appearance): string | null {
  const theme = themeOf(appearance);
  return theme === "" ? null : `/theme/${Bun.hash(theme).toString(36)}.css`;
}

/** The path of the server's icon: the owner's, with at least this many pixels, or Linnet's bird. */
export function iconPath(ctx: Context, pixels: number): { path: string; type: string } {
  const own = findSitePicture(ctx.db, "icon");
  if (!own) return { path: favicon.path, type: favicon.type };
  const at = SITE_PICTURES.icon.findIndex(({ width }) => width >= pixels);
  return { path: new URL(mediaUrl(ctx, own.files.at(at)!)).pathname, type: "image/png" };
}
