/** @jsxImportSource preact */
import {
  changePolicy,
  POLICY_KINDS,
  POLICY_LEVELS,
  policyOf,
  type Policy,
} from "../../../core/notifications/policy.ts";
import { acceptRequests, dismissRequests, listRequests } from "../../../core/notifications/requests.ts";
import { showAccounts } from "../../../entities/accounts.ts";
import { notFound } from "../../../errors.ts";
import { parseId } from "../../../lib/ids.ts";
import { Form, Hidden, NO_PROBLEMS, Select, type FormProblems } from "../../page/forms.tsx";
import { Alert, Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { Author, nameOf } from "../../public/author.tsx";
import { Pagination, rangeOf } from "../../public/pagination.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { readingSettingsTexts } from "./texts.ts";

const PATH = "/settings/notifications";
const REQUESTS = `${PATH}/requests`;

/** The page where users decide whose notifications they get, and the page of those that were filtered. */
export function notificationPolicyPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
  pages.userForm(REQUESTS, { show: requestsPage, submit: answer });
}

function typed(page: UserPage): Partial<Policy> {
  return Object.fromEntries(
    POLICY_KINDS.map((kind) => [kind, POLICY_LEVELS.find((level) => level === page.text(kind))]),
  );
}

function submit(page: UserPage): Response {
  changePolicy(page.ctx, page.session.accountId, typed(page));
  return page.redirect(`${PATH}?saved`);
}

function show(page: UserPage, problems: FormProblems): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const stored = policyOf(ctx.db, session.accountId);
  const chosen = page.request.method === "POST" ? typed(page) : {};
  const levels = POLICY_LEVELS.map((level) => ({ value: level, label: texts.levels[level] }));
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).notificationPolicy, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <p>{texts.policyIntro}</p>
      <p>
        <a href={REQUESTS}>{texts.requests}</a>
      </p>
      <Form page={page} action={PATH} problems={problems}>
        {POLICY_KINDS.map((kind) => (
          <Select
            name={kind}
            label={texts.kinds[kind][0]!}
            help={texts.kinds[kind][1]}
            value={chosen[kind] ?? stored[kind]}
            choices={levels}
          />
        ))}
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}

/** The accounts whose notifications are filtered, each with a way to get them or to forget them. */
function requestsPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const range = rangeOf(page);
  const rows = listRequests(ctx.db, session.accountId, range);
  const accounts = showAccounts(
    ctx,
    rows.map((row) => row.from_account_id),
  );
  return settingsPage(
    page,
    { title: texts.requests, status: problems.status },
    <>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <p>{texts.requestsIntro}</p>
      {rows.length === 0 && <p>{texts.noRequests}</p>}
      <ul class="entries">
        {rows.map(({ id, notifications_count }, at) => {
          const account = accounts[at]!;
          return (
            <li class="entry">
              <div>
                <Author page={page} account={account} />
                <p class="help">{texts.filtered(notifications_count)}</p>
              </div>
              <Form page={page} action={REQUESTS} class="answers">
                <Hidden values={{ id: String(id) }} />
                <button
                  class="small primary"
                  name="do"
                  value="accept"
                  aria-label={texts.about(texts.accept, nameOf(account))}
                >
                  {texts.accept}
                </button>
                <button
                  class="small"
                  name="do"
                  value="dismiss"
                  aria-label={texts.about(texts.dismiss, nameOf(account))}
                >
                  {texts.dismiss}
                </button>
              </Form>
            </li>
          );
        })}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
      <p>
        <a href={PATH}>{texts.backToPolicy}</a>
      </p>
    </>,
  );
}

const ANSWERS = { accept: acceptRequests, dismiss: dismissRequests };

function answer(page: UserPage): Response {
  const id = parseId(page.text("id"));
  const act = Object.hasOwn(ANSWERS, page.text("do")) && ANSWERS[page.text("do") as keyof typeof ANSWERS];
  if (id === null || !act) throw notFound();
  act(page.ctx, page.session.accountId, [id]);
  return page.redirect(REQUESTS);
}
