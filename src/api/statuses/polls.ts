import { visiblePoll, vote } from "../../core/statuses/polls.ts";
import { showPoll } from "../../entities/statuses/polls.ts";
import { parseId } from "../../lib/ids.ts";
import { list, object, text } from "../../lib/http/input.ts";
import { jsonText } from "../paging.ts";
import type { Router } from "../router.ts";

const Votes = object({ choices: list(text({ max: 40 }), { min: 1 }) });

/** Mastodon's documentation: methods/polls. */
export function pollRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/polls/:id",
      { open: true, scope: "read:statuses", summary: "Get a poll" },
      ({ ctx, viewerId, params }) => jsonText(showPoll(ctx, viewerId, visiblePoll(ctx, viewerId, parseId(params.id)))),
    )
    .post(
      "/api/v1/polls/:id/votes",
      { scope: "write:statuses", input: Votes, summary: "Vote in a poll" },
      ({ ctx, viewerId, input, params }) => {
        const poll = visiblePoll(ctx, viewerId, parseId(params.id));
        vote(ctx, viewerId, poll, input.choices.map(choiceOf));
        return jsonText(showPoll(ctx, viewerId, poll));
      },
    );
}

/** Anything but a number becomes -1, a choice that doesn't exist. */
function choiceOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}
