import { report, REPORT_CATEGORIES } from "../../core/moderation/reports.ts";
import { reportTexts } from "../../entities/notifications/reports.ts";
import { parseId } from "../../lib/ids.ts";
import { parseDomain } from "../../lib/text/domains.ts";
import { bool, id, ids, list, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { jsonText } from "../paging.ts";
import type { Router } from "../router.ts";

const Report = object({
  account_id: optional(id()),
  status_ids: ids(500),
  comment: text({ max: 100_000, default: "" }),
  forward: bool({ default: false }),
  forward_to_domains: optional(list(text({ max: 255 }))),
  category: oneOf(REPORT_CATEGORIES, { default: "other" }),
  rule_ids: ids(500),
});

/** Mastodon's documentation: methods/reports. */
export function reportRoutes(routes: Router): void {
  routes.post(
    "/api/v1/reports",
    { scope: "write:reports", input: Report, summary: "Report an account to the moderators" },
    ({ ctx, viewerId, input }) => {
      const reportId = report(ctx, viewerId, {
        accountId: parseId(input.account_id),
        statusIds: input.status_ids.map(parseId),
        comment: input.comment,
        category: input.category,
        ruleIds: input.rule_ids.map(parseId),
        forward: input.forward,
        forwardTo: input.forward_to_domains?.map(parseDomain).filter((domain) => domain !== null) ?? null,
      });
      return jsonText(reportTexts(ctx, [reportId]).get(reportId)!);
    },
  );
}
