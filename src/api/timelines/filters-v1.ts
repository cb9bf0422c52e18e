import type { Static } from "@sinclair/typebox";
import type { Context } from "../../context.ts";
import {
  createFilter,
  filtersOf,
  keywordsOf,
  MAX_KEYWORD,
  MAX_TITLE,
  ownFilter,
  ownKeyword,
  removeKeyword,
  settingsOf,
  updateFilter,
  type FilterKeywordRow,
  type FilterRow,
  type FilterSettings,
} from "../../core/timelines/filters.ts";
import { filterJson } from "../../entities/statuses/filters.ts";
import { Refusal, validationFailed } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, list, object, optional, text } from "../../lib/http/input.ts";
import { expiry, expiryOf } from "./expiry.ts";
import type { Router } from "../router.ts";

const shared = {
  context: optional(list(text({ max: 100 }))),
  irreversible: optional(bool()),
  whole_word: optional(bool()),
  expires_in: expiry(),
};
const Create = object({ phrase: text({ max: MAX_KEYWORD }), ...shared });
const Update = object({ phrase: optional(text({ max: MAX_KEYWORD })), ...shared });

/**
 * The filters of Mastodon before version 4 (methods/filters#v1): each is one keyword of a current filter, and has the
 * keyword's id.
 */
export function oldFilterRoutes(routes: Router): void {
  const read = { scope: "read:filters" } as const;
  const write = { scope: "write:filters" } as const;
  routes
    .get("/api/v1/filters", { ...read, summary: "List filters, one per keyword (deprecated)" }, ({ ctx, viewerId }) => {
      const filters = new Map(filtersOf(ctx.db, viewerId).map((filter) => [filter.id, filter]));
      return keywordsOf(ctx.db, viewerId, null).map((row) => oldFilterJson(filters.get(row.filter_id)!, row));
    })
    .get("/api/v1/filters/:id", { ...read, summary: "Get a filter (deprecated)" }, ({ ctx, viewerId, params }) =>
      show(ctx, viewerId, parseId(params.id)),
    )
    .post(
      "/api/v1/filters",
      { ...write, input: Create, summary: "Create a filter (deprecated)" },
      ({ ctx, viewerId, input }) => {
        const blank: FilterSettings = { title: titleOf(input.phrase), context: [], action: "warn", expiresAt: null };
        const keyword = { keyword: input.phrase, wholeWord: input.whole_word ?? false };
        const filterId = createFilter(ctx, viewerId, { ...blank, ...changesOf(ctx, input) }, [keyword]);
        return show(ctx, viewerId, keywordsOf(ctx.db, viewerId, filterId)[0]!.id);
      },
    )
    .update(
      "/api/v1/filters/:id",
      { ...write, input: Update, summary: "Update a filter (deprecated)" },
      ({ ctx, viewerId, input, params }) => {
        const row = ownKeyword(ctx.db, viewerId, parseId(params.id));
        if (input.phrase !== undefined && !/\S/.test(input.phrase)) throw validationFailed("Phrase can't be blank");
        const filter = ownFilter(ctx.db, viewerId, row.filter_id);
        const keyword = { id: row.id, keyword: input.phrase, wholeWord: input.whole_word };
        updateFilter(ctx, viewerId, filter, filterChanges(ctx, viewerId, filter, input), [keyword]);
        return show(ctx, viewerId, row.id);
      },
    )
    .delete("/api/v1/filters/:id", { ...write, summary: "Delete a filter (deprecated)" }, ({ ctx, viewerId, params }) =>
      removeKeyword(ctx, viewerId, ownKeyword(ctx.db, viewerId, parseId(params.id))),
    );
}

/** The given parameters as settings of a current filter. */
function changesOf(ctx: Context, input: Static<typeof Update>): Partial<FilterSettings> {
  const changes: Partial<FilterSettings> = {};
  if (input.context !== undefined) changes.context = input.context;
  if (input.irreversible !== undefined) changes.action = input.irreversible ? "hide" : "warn";
  if (input.expires_in !== undefined) changes.expiresAt = expiryOf(ctx, input.expires_in)!;
  return changes;
}

/** Only the keyword may change if the filter has others, which an old app doesn't know of. */
function filterChanges(ctx: Context, accountId: number, filter: FilterRow, input: Static<typeof Update>) {
  const changes = changesOf(ctx, input);
  if (keywordsOf(ctx.db, accountId, filter.id).length === 1) {
    return input.phrase === undefined ? changes : { ...changes, title: titleOf(input.phrase) };
  }
  const before = settingsOf(filter);
  if (JSON.stringify({ ...before, ...changes }) !== JSON.stringify(before)) {
    throw new Refusal(
      "invalid",
      "These parameters cannot be changed from this application because they apply to more than one filter keyword. Use a more recent application or the web interface.",
    );
  }
  return {};
}

function titleOf(phrase: string): string {
  return [...phrase].slice(0, MAX_TITLE).join("");
}

function show(ctx: Context, accountId: number, id: number | null) {
  const row = ownKeyword(ctx.db, accountId, id);
  return oldFilterJson(ownFilter(ctx.db, accountId, row.filter_id), row);
}

/** Mastodon's V1::Filter (entities/V1_Filter). */
function oldFilterJson(filter: FilterRow, row: FilterKeywordRow) {
  const { context, expires_at, filter_action } = filterJson(filter);
  return {
    id: String(row.id),
    phrase: row.keyword,
    context,
    whole_word: row.whole_word === 1,
    expires_at,
    irreversible: filter_action === "hide",
  };
}
