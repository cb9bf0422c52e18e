/** @jsxImportSource preact */
import { type Progress, progressOf } from "../../../federation/delivery/progress.ts";
import type { Messages } from "../../i18n/messages.ts";
import type { PageRequest } from "../../page/page-request.tsx";
import { dateAndTime } from "../../page/dates.tsx";

/** Which other servers have a post, for its author. Nothing if it was not delivered. */
export function Deliveries({ page, statusId }: { page: PageRequest; statusId: number }) {
  const { published, edited } = progressOf(page.ctx.db, statusId);
  const { messages } = page;
  return (
    <>
      {published && <Version page={page} progress={published} text={deliveredTo(messages, published)} />}
      {edited && (
        <Version
          page={page}
          progress={edited}
          text={messages.latestEdit(uncapitalized(deliveredTo(messages, edited)))}
        />
      )}
    </>
  );
}

function deliveredTo(messages: Messages, { accepted, waiting, refused }: Progress): string {
  const others = [
    waiting.length > 0 && messages.serversWaiting(waiting.length),
    refused > 0 && messages.serversRefused(refused),
  ];
  return [messages.deliveredTo(accepted), ...others].filter(Boolean).join(", ");
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

interface VersionProps {
  page: PageRequest;
  progress: Progress;
  text: string;
}

function Version({ page, progress: { waiting, refusing }, text }: VersionProps) {
  const { messages } = page;
  const at = (time: number) => dateAndTime(page, time);
  if (waiting.length + refusing.length === 0) return <p class="details">{text}</p>;
  return (
    <details class="deliveries">
      <summary>{text}</summary>
      <ul>
        {waiting.map(({ host, since, lastResponse, nextAttemptAt }) => (
          <li>
            <bdi>{host}</bdi>
            <span>
              {[messages.waitingSince(at(since)), nextAttemptAt !== null && messages.nextAttemptAt(at(nextAttemptAt))]
                .filter(Boolean)
                .join(", ")}
            </span>
            {lastResponse !== null && <Response text={lastResponse} />}
          </li>
        ))}
        {refusing.map((server) => (
          <li>
            <bdi>{server.host}</bdi>
            <span>{messages.refusedOn(at(server.at))}</span>
            <Response text={server.response} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** These texts are for administrators, and not translated. */
function Response({ text }: { text: string }) {
  return <span lang="en">{text}</span>;
}
