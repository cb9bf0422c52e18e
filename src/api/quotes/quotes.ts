import { approveQuote, revokeQuote } from "../../core/quotes/consent.ts";
import { changeQuotePolicy, STATUS_QUOTE_POLICIES } from "../../core/quotes/policy.ts";
import { quotesOf } from "../../core/quotes/quotes.ts";
import { ownStatus, visibleOriginal } from "../../core/visibility.ts";
import { showStatus } from "../../entities/statuses/statuses.ts";
import { parseId } from "../../lib/ids.ts";
import { object, oneOf } from "../../lib/http/input.ts";
import { pageOf, paging, statusPage } from "../paging.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/statuses (quotes, revoke_quote, interaction_policy). */
export function quoteRoutes(routes: Router): void {
  const write = { scope: "write:statuses" } as const;
  const Policy = object({ quote_approval_policy: oneOf(STATUS_QUOTE_POLICIES) });
  routes
    .get(
      "/api/v1/statuses/:id/quotes",
      { scope: "read:statuses", input: object(paging(20, 40)), summary: "List the statuses that quote a status" },
      (call) => {
        const { ctx, viewerId } = call;
        const status = visibleOriginal(ctx, viewerId, parseId(call.params.id));
        const page = pageOf(call.input);
        const rows = quotesOf(ctx, viewerId, status.id, page);
        return statusPage(call, page, rows);
      },
    )
    .post(
      "/api/v1/statuses/:id/quotes/:quoting_status_id/revoke",
      { ...write, summary: "Revoke a quote of your status, or refuse one that waits for your approval" },
      ({ ctx, viewerId, params }) => {
        const [id, quotingId] = [parseId(params.id), parseId(params.quoting_status_id)];
        return showStatus(ctx, viewerId, revokeQuote(ctx, viewerId, id, quotingId));
      },
    )
    .update(
      "/api/v1/statuses/:id/interaction_policy",
      { ...write, input: Policy, summary: "Set who may quote a status" },
      (call) => {
        const { ctx, viewerId, input, params } = call;
        const id = changeQuotePolicy(ctx, viewerId, parseId(params.id), input.quote_approval_policy);
        return showStatus(ctx, viewerId, id);
      },
    );
  approvalRoutes(routes);
}

/** Mastodon has no methods for manual approval. */
function approvalRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/linnet/statuses/:id/quotes/pending",
      {
        scope: "read:statuses",
        input: object(paging(20, 40)),
        summary: "List the quotes of your status that wait for your approval (Linnet only)",
      },
      (call) => {
        const { ctx, viewerId } = call;
        const status = ownStatus(ctx, viewerId, parseId(call.params.id));
        const page = pageOf(call.input);
        return statusPage(call, page, quotesOf(ctx, viewerId, status.id, page, "pending"));
      },
    )
    .post(
      "/api/v1/linnet/statuses/:id/quotes/:quoting_status_id/approve",
      { scope: "write:statuses", summary: "Approve a quote of your status (Linnet only)" },
      ({ ctx, viewerId, params }) => {
        const [id, quotingId] = [parseId(params.id), parseId(params.quoting_status_id)];
        return showStatus(ctx, viewerId, approveQuote(ctx, viewerId, id, quotingId));
      },
    );
}
