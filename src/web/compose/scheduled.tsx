/** @jsxImportSource preact */
import { listScheduled, removeScheduled, reservedMedia, type ScheduledRow } from "../../core/statuses/scheduled.ts";
import type { Draft } from "../../core/statuses/drafts.ts";
import { parseId } from "../../lib/ids.ts";
import { ActionButton, NO_PROBLEMS, type FormProblems } from "../page/forms.tsx";
import { Alert, Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { dateAndTime } from "../page/dates.tsx";
import { COMPOSE, SCHEDULED } from "./compose.tsx";
import { composeTexts } from "./texts.ts";

/** As many as a user may have. */
const EVERYTHING = { limit: 300, max_id: null, since_id: null, min_id: null };

/** The page with the posts that are published later. */
export function scheduledPages(pages: Pages): void {
  pages.userGet(SCHEDULED, (page) => scheduledPage(page, NO_PROBLEMS));
  pages.userPost(`${SCHEDULED}/cancel`, {
    show: scheduledPage,
    submit: (page) => {
      removeScheduled(page.ctx, page.session.accountId, parseId(page.text("scheduled")));
      return page.redirect(`${SCHEDULED}?cancelled`);
    },
  });
}

function scheduledPage(page: UserPage, problems: FormProblems): Response {
  const { ctx, session, params } = page;
  const texts = page.texts(composeTexts);
  const rows = listScheduled(ctx, session.accountId, EVERYTHING).toSorted((a, b) => a.scheduled_at - b.scheduled_at);
  const media = reservedMedia(
    ctx,
    rows.map(({ id }) => id),
  );
  return page.render(
    { title: texts.scheduled, status: problems.status, wide: true },
    <>
      <h1>{texts.scheduled}</h1>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      {params["added"] !== undefined && <Notice>{texts.isScheduled}</Notice>}
      {params["cancelled"] !== undefined && <Notice>{texts.isCancelled}</Notice>}
      <p>{rows.length === 0 ? texts.noneScheduled : texts.scheduledHelp}</p>
      <ul class="entries">
        {rows.map((row) => (
          <Scheduled page={page} row={row} files={media.get(row.id)?.length ?? 0} />
        ))}
      </ul>
    </>,
  );
}

function Scheduled({ page, row, files }: { page: UserPage; row: ScheduledRow; files: number }) {
  const texts = page.texts(composeTexts);
  const draft = JSON.parse(row.draft) as Draft;
  const date = dateAndTime(page, row.scheduled_at);
  return (
    <li class="entry">
      <div>
        <strong>{date}</strong>
        <p class="typed" dir="auto" lang={draft.language ?? undefined}>
          {draft.spoilerText || draft.text}
        </p>
        {files > 0 && <p class="help">{texts.attached(files)}</p>}
      </div>
      <div class="buttons">
        <a class="button small" href={`${COMPOSE}?scheduled=${row.id}`} aria-label={texts.changeAt(date)}>
          {texts.change}
        </a>
        <ActionButton
          page={page}
          action={`${SCHEDULED}/cancel`}
          values={{ scheduled: String(row.id) }}
          label={texts.cancelAt(date)}
        >
          {texts.cancel}
        </ActionButton>
      </div>
    </li>
  );
}
