import type { Static } from "@sinclair/typebox";
import type { Context } from "../../context.ts";
import {
  addFilterStatus,
  addKeyword,
  createFilter,
  FILTER_ACTIONS,
  filtersOf,
  filterStatusesOf,
  keywordsOf,
  ownFilter,
  ownFilterStatus,
  ownKeyword,
  removeFilter,
  removeFilterStatus,
  removeKeyword,
  updateFilter,
  updateKeyword,
  type FilterKeywordRow,
  type FilterRow,
  type FilterStatusRow,
  type KeywordChange,
} from "../../core/timelines/filters.ts";
import { filterJson } from "../../entities/statuses/filters.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, id, list, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { expiry, expiryOf } from "./expiry.ts";
import type { Router } from "../router.ts";

/** Bounds against abuse, above the limits that users see. */
const MAX_TEXT = 2000;
const MAX_KEYWORDS = 500;

/** `core` checks for a missing title or context, so that one error names both. */
const Settings = object({
  title: optional(text({ max: MAX_TEXT })),
  context: optional(list(text({ max: MAX_TEXT }))),
  filter_action: optional(oneOf(FILTER_ACTIONS)),
  expires_in: expiry(),
  keywords_attributes: optional(
    list(
      object({
        id: optional(id()),
        keyword: optional(text({ max: MAX_TEXT })),
        whole_word: optional(bool()),
        _destroy: optional(bool()),
      }),
      { max: MAX_KEYWORDS },
    ),
  ),
});

/** Mastodon's documentation: methods/filters, version 2. */
export function filterRoutes(routes: Router): void {
  const read = { scope: "read:filters" } as const;
  const write = { scope: "write:filters" } as const;
  routes
    .get("/api/v2/filters", { ...read, summary: "List filters" }, ({ ctx, viewerId }) =>
      showFilters(ctx, viewerId, filtersOf(ctx.db, viewerId)),
    )
    .get("/api/v2/filters/:id", { ...read, summary: "Get a filter" }, ({ ctx, viewerId, params }) =>
      showFilter(ctx, viewerId, parseId(params.id)),
    )
    .post("/api/v2/filters", { ...write, input: Settings, summary: "Create a filter" }, ({ ctx, viewerId, input }) => {
      const settings = {
        title: input.title ?? "",
        context: input.context ?? [],
        action: input.filter_action ?? "warn",
        expiresAt: expiryOf(ctx, input.expires_in) ?? null,
      };
      return showFilter(ctx, viewerId, createFilter(ctx, viewerId, settings, keywordChanges(input)));
    })
    .update(
      "/api/v2/filters/:id",
      { ...write, input: Settings, summary: "Update a filter and its keywords" },
      ({ ctx, viewerId, input, params }) => {
        const filter = ownFilter(ctx.db, viewerId, parseId(params.id));
        const changes = {
          title: input.title,
          context: input.context,
          action: input.filter_action,
          expiresAt: expiryOf(ctx, input.expires_in),
        };
        updateFilter(ctx, viewerId, filter, changes, keywordChanges(input));
        return showFilter(ctx, viewerId, filter.id);
      },
    )
    .delete("/api/v2/filters/:id", { ...write, summary: "Delete a filter" }, ({ ctx, viewerId, params }) =>
      removeFilter(ctx, viewerId, ownFilter(ctx.db, viewerId, parseId(params.id))),
    );
  keywordRoutes(routes);
  statusRoutes(routes);
}

function keywordChanges({ keywords_attributes: attributes = [] }: Static<typeof Settings>): KeywordChange[] {
  return attributes.map(({ id, keyword, whole_word: wholeWord, _destroy: destroy }) => ({
    id: id === undefined ? undefined : parseId(id),
    keyword,
    wholeWord,
    destroy,
  }));
}

const Keyword = object({ keyword: text({ max: MAX_TEXT }), whole_word: optional(bool()) });

function keywordRoutes(routes: Router): void {
  const read = { scope: "read:filters" } as const;
  const write = { scope: "write:filters" } as const;
  const input = Keyword;
  routes
    .get(
      "/api/v2/filters/:id/keywords",
      { ...read, summary: "List the keywords of a filter" },
      ({ ctx, viewerId, params }) =>
        keywordsOf(ctx.db, viewerId, ownFilter(ctx.db, viewerId, parseId(params.id)).id).map(keywordJson),
    )
    .post(
      "/api/v2/filters/:id/keywords",
      { ...write, input, summary: "Add a keyword to a filter" },
      ({ ctx, viewerId, input, params }) => {
        const filter = ownFilter(ctx.db, viewerId, parseId(params.id));
        const added = addKeyword(ctx, viewerId, filter, { keyword: input.keyword, wholeWord: input.whole_word });
        return keywordJson(ownKeyword(ctx.db, viewerId, added));
      },
    )
    .get("/api/v2/filters/keywords/:id", { ...read, summary: "Get a keyword" }, ({ ctx, viewerId, params }) =>
      keywordJson(ownKeyword(ctx.db, viewerId, parseId(params.id))),
    )
    .update(
      "/api/v2/filters/keywords/:id",
      { ...write, input, summary: "Update a keyword" },
      ({ ctx, viewerId, input, params }) => {
        const row = ownKeyword(ctx.db, viewerId, parseId(params.id));
        updateKeyword(ctx, viewerId, row, { keyword: input.keyword, wholeWord: input.whole_word });
        return keywordJson(ownKeyword(ctx.db, viewerId, row.id));
      },
    )
    .delete(
      "/api/v2/filters/keywords/:id",
      { ...write, summary: "Remove a keyword from its filter" },
      ({ ctx, viewerId, params }) => removeKeyword(ctx, viewerId, ownKeyword(ctx.db, viewerId, parseId(params.id))),
    );
}

function statusRoutes(routes: Router): void {
  const read = { scope: "read:filters" } as const;
  const write = { scope: "write:filters" } as const;
  routes
    .get(
      "/api/v2/filters/:id/statuses",
      { ...read, summary: "List the statuses of a filter" },
      ({ ctx, viewerId, params }) =>
        filterStatusesOf(ctx.db, viewerId, ownFilter(ctx.db, viewerId, parseId(params.id)).id).map(statusJson),
    )
    .post(
      "/api/v2/filters/:id/statuses",
      { ...write, input: object({ status_id: id() }), summary: "Add a status to a filter" },
      ({ ctx, viewerId, input, params }) => {
        const filter = ownFilter(ctx.db, viewerId, parseId(params.id));
        const added = addFilterStatus(ctx, viewerId, filter, parseId(input.status_id));
        return statusJson(ownFilterStatus(ctx.db, viewerId, added));
      },
    )
    .get(
      "/api/v2/filters/statuses/:id",
      { ...read, summary: "Get a status of a filter" },
      ({ ctx, viewerId, params }) => statusJson(ownFilterStatus(ctx.db, viewerId, parseId(params.id))),
    )
    .delete(
      "/api/v2/filters/statuses/:id",
      { ...write, summary: "Remove a status from its filter" },
      ({ ctx, viewerId, params }) =>
        removeFilterStatus(ctx, viewerId, ownFilterStatus(ctx.db, viewerId, parseId(params.id))),
    );
}

/** Mastodon's Filter (entities/Filter) with its keywords and statuses; a fixed number of queries. */
function showFilters(ctx: Context, accountId: number, rows: readonly FilterRow[]) {
  const only = rows.length === 1 ? rows[0]!.id : null;
  const keywords = Map.groupBy(keywordsOf(ctx.db, accountId, only), (row) => row.filter_id);
  const statuses = Map.groupBy(filterStatusesOf(ctx.db, accountId, only), (row) => row.filter_id);
  return rows.map((row) => ({
    ...filterJson(row),
    keywords: (keywords.get(row.id) ?? []).map(keywordJson),
    statuses: (statuses.get(row.id) ?? []).map(statusJson),
  }));
}

function showFilter(ctx: Context, accountId: number, id: number | null) {
  return showFilters(ctx, accountId, [ownFilter(ctx.db, accountId, id)])[0]!;
}

/** Mastodon's FilterKeyword (entities/FilterKeyword). */
function keywordJson({ id, keyword, whole_word }: FilterKeywordRow) {
  return { id: String(id), keyword, whole_word: whole_word === 1 };
}

/** Mastodon's FilterStatus (entities/FilterStatus). */
function statusJson({ id, status_id }: FilterStatusRow) {
  return { id: String(id), status_id: String(status_id) };
}
