/** @jsxImportSource preact */
import type { PollJson } from "../../../entities/statuses/polls.ts";
import { Hidden } from "../../page/forms.tsx";
import { Text } from "../../page/rich-text.tsx";
import type { PageRequest, UserPage } from "../../page/page-request.tsx";
import { actionTexts } from "../action-texts.ts";
import { TimeSentence } from "../../page/dates.tsx";
import { hereAgain, POSTS } from "./post-actions.tsx";

interface BallotProps {
  page: UserPage;
  statusId: string;
  /** The id of the element with the post. */
  anchor: string;
  poll: PollJson;
  lang: string | null;
}

/** The number of votes of a poll, and its end. */
export function PollState({ page, poll }: { page: PageRequest; poll: PollJson }) {
  const { votes, pollClosed, pollUntil } = page.messages;
  return (
    <p class="help">
      {votes(poll.votes_count)}
      {poll.expired && ` · ${pollClosed}`}
      {!poll.expired && poll.expires_at !== null && (
        <>
          {" · "}
          <TimeSentence page={page} at={poll.expires_at} text={pollUntil} />
        </>
      )}
    </p>
  );
}

/** The choices of an open poll, for a user who hasn't voted. */
export function Ballot({ page, statusId, anchor, poll, lang }: BallotProps) {
  return (
    <form class="ballot" method="post" action={`${POSTS}/${statusId}`}>
      <Hidden values={{ ...hereAgain(page, anchor), poll: poll.id }} />
      <div>
        {poll.options.map(({ title }, at) => (
          <label class="choice">
            <input type={poll.multiple ? "checkbox" : "radio"} name="choices[]" value={at} />
            <Text text={title} emojis={poll.emojis} lang={lang} />
          </label>
        ))}
      </div>
      <PollState page={page} poll={poll} />
      <button class="small" name="do" value="vote">
        {page.texts(actionTexts).vote}
      </button>
    </form>
  );
}
