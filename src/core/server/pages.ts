import defaultPrivacyPolicy from "../../../assets/privacy-policy.md" with { type: "text" };
import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { pages } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";

export const PAGES = pages.name.enumValues;
export type PageName = (typeof PAGES)[number];

/** A page that the owner wrote about the server, as Markdown. */
export interface OwnPage {
  text: string;
  updated_at: number;
}

/** In characters; far more than a page needs. */
export const MAX_PAGE = 200_000;

/** When the default privacy policy was last changed. */
const DEFAULTS_CHANGED = Date.parse("2026-11-23");

const DEFAULTS: Record<PageName, string> = { extended_description: "", privacy_policy: defaultPrivacyPolicy };

/** The owner's page, or the default. */
export function findPage(db: Reads, name: PageName): OwnPage {
  const own = db.get<OwnPage>("SELECT text, updated_at FROM pages WHERE name = +$name", { name });
  return own ?? { text: DEFAULTS[name], updated_at: DEFAULTS_CHANGED };
}

export function setPage(ctx: Context, name: PageName, text: string): void {
  const checked = checkedPage(text);
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO pages (name, text, updated_at) VALUES ($name, $checked, $now)
       ON CONFLICT (name) DO UPDATE SET text = $checked, updated_at = $now`,
      { name, checked, now: ctx.clock.now() },
    ),
  );
}

/** Restores the default page. */
export function removePage(ctx: Context, name: PageName): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM pages WHERE name = +$name", { name }));
}

/**
 * Trims the text of a page.
 *
 * @throws Refusal if it is empty or too long
 */
export function checkedPage(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") throw new Refusal("invalid", "The text is empty.");
  if (trimmed.length > MAX_PAGE)
    throw new Refusal("invalid", `The text is too long. The limit is ${MAX_PAGE} characters.`);
  return trimmed;
}
