import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { ValidationRefusal } from "../../errors.ts";
import { parseColor } from "../../lib/color.ts";
import { setState, stateOf } from "./server-state.ts";

/** How the pages of a server look, and which robots may read them: decisions of the owner. */
export interface Appearance {
  /** `#rrggbb`; null for Linnet's own. */
  accent: string | null;
  /** Styles that follow Linnet's own. */
  css: string;
  /** Whether search engines may list the pages of accounts that allow it. */
  isIndexed: boolean;
  /** Whether robots that collect texts for language models may read the pages. */
  allowsAi: boolean;
}

const DEFAULT: Appearance = { accent: null, css: "", isIndexed: true, allowsAi: true };
const NAME = "appearance";
/** In UTF-16 units. */
const MAX_CSS = 20_000;

export function findAppearance(db: Reads): Appearance {
  const stored = stateOf(db, NAME);
  return stored === null ? DEFAULT : (JSON.parse(stored) as Appearance);
}

/** Stores what `checkAppearance()` has accepted. */
export function setAppearance(ctx: Context, appearance: Appearance): void {
  ctx.db.transaction((tx) => setState(tx, NAME, JSON.stringify(appearance)));
}

/** @throws ValidationRefusal */
export function checkAppearance({ accent, css }: Appearance): void {
  if (accent !== null && !parseColor(accent)) throw problem("accent", "must be a colour such as #ad2140");
  if (css.length > MAX_CSS) throw problem("css", `is too long (maximum is ${MAX_CSS} characters)`);
  if (loadsFiles(css)) throw problem("css", "must not load files: remove @import, url() and backslashes");
}

function problem(field: string, description: string): ValidationRefusal {
  return new ValidationRefusal([{ field, error: "ERR_INVALID", description }]);
}

/** Functions and rules that load files, and the escapes and the end tag that could hide them. */
const LOADS = /@import|url\(|image-set\(|image\(|src\(|\\|<\//i;

function loadsFiles(css: string): boolean {
  return LOADS.test(css);
}
