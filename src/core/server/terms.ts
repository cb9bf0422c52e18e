import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { notFound, Refusal } from "../../errors.ts";
import { checkedPage } from "./pages.ts";

/** Terms of service as Markdown, with the first day (`YYYY-MM-DD`, UTC) on which they apply. */
export interface Terms {
  effective_date: string;
  text: string;
}

/** All published versions, oldest first. */
export function listTerms(db: Reads): Terms[] {
  return db.all<Terms>("SELECT effective_date, text FROM terms_of_service ORDER BY effective_date");
}

export function hasTerms(db: Reads): boolean {
  return db.get("SELECT 1 FROM terms_of_service LIMIT 1") !== null;
}

/** Whether terms with this effective date apply already. */
export function isEffective(ctx: Context, date: string): boolean {
  return date <= currentDate(ctx);
}

/**
 * The current terms, or else the first future ones.
 *
 * @throws Refusal if there are none
 */
export function currentTerms(ctx: Context): Terms {
  const all = listTerms(ctx.db);
  const current = all.findLast(({ effective_date }) => isEffective(ctx, effective_date)) ?? all[0];
  if (!current) throw notFound();
  return current;
}

/**
 * The terms with this effective date.
 *
 * @throws Refusal if there are none
 */
export function termsOf(db: Reads, date: string): Terms {
  const terms = db.get<Terms>("SELECT effective_date, text FROM terms_of_service WHERE effective_date = +$date", {
    date,
  });
  if (!terms) throw notFound();
  return terms;
}

/** The effective date of the next version after this date; null if there is none. */
export function successorOf(db: Reads, date: string): string | null {
  return listTerms(db).find(({ effective_date }) => effective_date > date)?.effective_date ?? null;
}

/**
 * Publishes terms, effective today or on a later day. Terms that apply already can't be changed. Returns the effective
 * date.
 */
export function publishTerms(ctx: Context, text: string, date = currentDate(ctx)): string {
  if (!isDate(date)) throw new Refusal("invalid", `"${date}" is not a date. Use the form 2027-01-31.`);
  if (date < currentDate(ctx))
    throw new Refusal("invalid", `${date} is in the past. Terms can take effect today or later.`);
  const checked = checkedPage(text);
  ctx.db.transaction((tx) => {
    const before = tx.get<Terms>("SELECT effective_date, text FROM terms_of_service WHERE effective_date = +$date", {
      date,
    });
    if (before && isEffective(ctx, date)) {
      throw new Refusal(
        "conflict",
        `Other terms already take effect today. Choose a later date, so that users can read both.`,
      );
    }
    tx.run(
      `INSERT INTO terms_of_service (effective_date, text, published_at) VALUES ($date, $checked, $now)
       ON CONFLICT (effective_date) DO UPDATE SET text = $checked, published_at = $now`,
      { date, checked, now: ctx.clock.now() },
    );
  });
  return date;
}

export function removeTerms(ctx: Context, date: string): void {
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM terms_of_service WHERE effective_date = +$date", { date });
    if (changes === 0)
      throw new Refusal(
        "not_found",
        `There are no terms of service effective from ${date}. Run "linnet terms list" for a list.`,
      );
  });
}

function currentDate(ctx: Context): string {
  return new Date(ctx.clock.now()).toISOString().slice(0, 10);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
