/** @jsxImportSource preact */
import type { PollJson } from "../../../entities/statuses/polls.ts";
import { Hidden } from "../../page/forms.tsx";
import { Text } from "../../page/rich-text.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import { actionTexts } from "../action-texts.ts";
import { dateAndTime } from "../dates.ts";
import { hereAgain, POSTS } from "./post-actions.tsx";

interface BallotProps {
  page: UserPage;
  statusId: string;
  /** The id of the element with the post. */
  anchor: string;
  poll: PollJson;
  lang: string | null;
}

/** The choices of an open poll, for a user who hasn't voted. */
export function Ballot({ page, statusId, anchor, poll, lang }: BallotProps) {
  const { messages } = page;
  const ends = poll.expires_at === null ? "" : messages.pollUntil(dateAndTime(messages, poll.expires_at));
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
      <p class="help">{[messages.votes(poll.votes_count), ends].filter(Boolean).join(" · ")}</p>
      <button class="small" name="do" value="vote">
        {page.texts(actionTexts).vote}
      </button>
    </form>
  );
}
