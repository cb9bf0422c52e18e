/** @jsxImportSource preact */
import {
  createInvitation,
  invitationsOf,
  invitationUrl,
  mayInvite,
  revokeInvitation,
  stateOfInvitation,
  type InvitationRow,
} from "../../../core/people/invitations.ts";
import { notFound } from "../../../errors.ts";
import { parseId } from "../../../lib/ids.ts";
import { durationChoices } from "../../page/choices.ts";
import { ActionButton, Form, NO_PROBLEMS, problemsOf, Select, type FormProblems } from "../../page/forms.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { dateAndTime } from "../../page/dates.tsx";
import { Pagination, rangeOf } from "../../public/pagination.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

const PATH = "/settings/invitations";
const USES = [1, 5, 10, 25, 100];
const DAY = 24 * 3600;
/** In seconds. */
const EXPIRIES = [DAY, 3 * DAY, 7 * DAY, 30 * DAY];
const DEFAULTS = { uses: "1", expiry: String(7 * DAY) };

/** The page where users invite others, if they may. */
export function invitationPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit: create, isSensitive: true });
  pages.userPost(`${PATH}/revoke`, { show, submit: revoke, isSensitive: true });
}

function create(page: UserPage): Response {
  const { ctx, session } = page;
  const seconds = EXPIRIES.find((each) => String(each) === page.text("expiry"));
  const invitation = {
    maxUses: USES.find((uses) => String(uses) === page.text("uses")) ?? null,
    expiresAt: seconds === undefined ? null : ctx.clock.now() + seconds * 1000,
  };
  try {
    createInvitation(ctx, session.accountId, invitation);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
  return page.redirect(PATH);
}

function revoke(page: UserPage): Response {
  revokeInvitation(page.ctx, page.session.accountId, parseId(page.text("id")));
  return page.redirect(PATH);
}

function show(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  if (!mayInvite(ctx, session.role)) throw notFound();
  const texts = page.texts(accountTexts);
  const range = rangeOf(page);
  const rows = invitationsOf(ctx.db, session.accountId, range);
  const chosen =
    page.params["uses"] === undefined ? DEFAULTS : { uses: page.text("uses"), expiry: page.text("expiry") };
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).invitations, status: problems.status },
    <>
      <p>{texts.invitationsIntro}</p>
      <Form page={page} action={PATH} problems={problems}>
        <Select
          name="uses"
          label={texts.maxUses}
          value={chosen.uses}
          choices={[
            ...USES.map((uses) => ({ value: String(uses), label: texts.accounts(uses) })),
            { value: "", label: texts.anyNumber },
          ]}
        />
        <Select
          name="expiry"
          label={texts.inviteExpiry}
          value={chosen.expiry}
          choices={[...durationChoices(page, EXPIRIES), { value: "", label: texts.inviteForever }]}
        />
        <button class="primary">{texts.createInvitation}</button>
      </Form>
      {rows.length === 0 && range.max_id === null && <p>{texts.noInvitations}</p>}
      <ul class="entries">
        {rows.map((row) => (
          <Invitation page={page} row={row} />
        ))}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function Invitation({ page, row }: { page: UserPage; row: InvitationRow }) {
  const texts = page.texts(accountTexts);
  const state = stateOfInvitation(page.ctx, row);
  const uses = row.max_uses === null ? texts.accounts(row.uses) : texts.usesOf(row.uses, row.max_uses);
  const end = row.expires_at && texts.inviteUntil(dateAndTime(page, row.expires_at));
  const details = [uses, state === "open" ? end : texts.inviteStates[state]].filter(Boolean).join(" · ");
  return (
    <li>
      {state === "open" && <output class="code">{invitationUrl(page.ctx, row.code)}</output>}
      <div class="entry">
        <p class="help">{details}</p>
        {state === "open" && (
          <ActionButton page={page} action={`${PATH}/revoke`} values={{ id: String(row.id) }}>
            {texts.revokeInvitation}
          </ActionButton>
        )}
      </div>
    </li>
  );
}
