import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { rules } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";
import { isLocale } from "../../lib/text/languages.ts";

/** Mastodon's limit. Apps show a rule as one line, with its hint below. */
const MAX_TEXT = 300;
const MAX_HINT = 1000;

export interface RuleWords {
  text: string;
  hint: string;
}

export interface Rule extends RuleWords {
  id: number;
  translations: Record<string, RuleWords>;
}

type RuleRow = Pick<typeof rules.$inferSelect, "id" | "text" | "hint" | "translations">;

/** The current rules, in display order. */
export function listRules(db: Reads): Rule[] {
  return db
    .all<RuleRow>("SELECT id, text, hint, translations FROM rules WHERE deleted_at IS NULL ORDER BY position, id")
    .map((row) => ({ ...row, translations: JSON.parse(row.translations) as Rule["translations"] }));
}

/** Adds a rule at the end, and returns its id. */
export function addRule(ctx: Context, words: RuleWords): number {
  const { text, hint } = checked(words);
  return ctx.db.transaction(
    (tx) =>
      tx.run(
        `INSERT INTO rules (text, hint, position, created_at)
         VALUES ($text, $hint, (SELECT coalesce(max(position), 0) + 1 FROM rules), $now)`,
        { text, hint, now: ctx.clock.now() },
      ).lastInsertRowid,
  );
}

/** Changes the given properties of a rule. `place` (from 1) moves it. */
export function editRule(ctx: Context, id: number, changes: Partial<RuleWords> & { place?: number }): void {
  ctx.db.transaction((tx) => {
    const rule = ruleWith(tx, id);
    const { text, hint } = checked({ text: changes.text ?? rule.text, hint: changes.hint ?? rule.hint });
    tx.run("UPDATE rules SET text = $text, hint = $hint WHERE id = +$id", { text, hint, id });
    if (changes.place !== undefined) moveRule(tx, id, changes.place);
  });
}

function moveRule(tx: Tx, id: number, place: number): void {
  const others = listRules(tx).filter((rule) => rule.id !== id);
  const order = others.map((rule) => rule.id).toSpliced(place - 1, 0, id);
  for (const [index, moved] of order.entries()) {
    tx.run("UPDATE rules SET position = $position WHERE id = +$moved", { position: index + 1, moved });
  }
}

/** Sets the translation of a rule; an empty text removes it. */
export function translateRule(ctx: Context, id: number, locale: string, words: RuleWords): void {
  if (!isLocale(locale)) throw new Refusal("invalid", `"${locale}" is not a language code such as de or pt-BR.`);
  ctx.db.transaction((tx) => {
    const { [locale]: _, ...others } = ruleWith(tx, id).translations;
    const translations = words.text.trim() === "" ? others : { ...others, [locale]: checked(words) };
    tx.run("UPDATE rules SET translations = $translations WHERE id = +$id", {
      translations: JSON.stringify(translations),
      id,
    });
  });
}

/** Removes a rule; existing reports still show it. */
export function removeRule(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => {
    ruleWith(tx, id);
    tx.run("UPDATE rules SET deleted_at = $now WHERE id = +$id", { now: ctx.clock.now(), id });
  });
}

function ruleWith(tx: Tx, id: number): Rule {
  const rule = listRules(tx).find((known) => known.id === id);
  if (!rule) throw new Refusal("not_found", `There is no rule ${id}. Run "linnet rule list" for a list.`);
  return rule;
}

function checked(words: RuleWords): RuleWords {
  const [text, hint] = [words.text.trim(), words.hint.trim()];
  if (text === "") throw new Refusal("invalid", "The rule is empty.");
  if ([...text].length > MAX_TEXT) {
    throw new Refusal(
      "invalid",
      `The rule is too long. The limit is ${MAX_TEXT} characters. Put details into the hint.`,
    );
  }
  if ([...hint].length > MAX_HINT) {
    throw new Refusal("invalid", `The hint is too long. The limit is ${MAX_HINT} characters.`);
  }
  return { text, hint };
}
