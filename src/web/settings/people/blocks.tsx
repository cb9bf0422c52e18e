/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { resolveHandle } from "../../../core/accounts.ts";
import {
  block,
  blockDomain,
  blocksOf,
  domainBlocksOf,
  mute,
  mutesOf,
  unblock,
  unblockDomain,
  unmute,
  type MutePlace,
} from "../../../core/people/blocks.ts";
import { showAccounts, type AccountJson } from "../../../entities/accounts.ts";
import { parseId } from "../../../lib/ids.ts";
import { durationChoices } from "../../page/choices.ts";
import {
  ActionButton,
  Checkbox,
  Field,
  Form,
  NO_PROBLEMS,
  problemsAt,
  Select,
  type FormProblems,
} from "../../page/forms.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { dateAndTime } from "../../page/dates.tsx";
import { Author, nameOf } from "../../public/author.tsx";
import { idsOf, Pagination, rangeOf } from "../../public/pagination.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { peopleTexts } from "./texts.ts";

const BLOCKS = "/settings/blocks";
const MUTES = "/settings/mutes";
const DOMAINS = "/settings/domain-blocks";
/** In seconds. */
const DURATIONS = [3600, 6 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600];

/** The accounts and domains that the user blocks or mutes, with a form for another one. */
export function blockSettingsPages(pages: Pages): void {
  pages.userForm(BLOCKS, {
    show: blocksPage,
    submit: (page) => withAccount(page, BLOCKS, blocksPage, (id) => block(page.ctx, page.session.accountId, id)),
  });
  pages.userForm(MUTES, {
    show: mutesPage,
    submit: (page) =>
      withAccount(page, MUTES, mutesPage, (id) => mute(page.ctx, page.session.accountId, id, muteOptions(page))),
  });
  pages.userForm(DOMAINS, { show: domainsPage, submit: addDomain });
  remover(pages, BLOCKS, blocksPage, ({ ctx, session }, id) => unblock(ctx, session.accountId, parseId(id)));
  remover(pages, MUTES, mutesPage, ({ ctx, session }, id) => unmute(ctx, session.accountId, parseId(id)));
  remover(pages, DOMAINS, domainsPage, ({ ctx, session }, domain) => unblockDomain(ctx, session.accountId, domain));
}

type Show = (page: UserPage, problems?: FormProblems) => Response;

function remover(pages: Pages, path: string, show: Show, act: (page: UserPage, entry: string) => void): void {
  pages.userPost(`${path}/remove`, {
    show,
    submit: (page) => {
      act(page, page.text("entry"));
      return page.redirect(path);
    },
  });
}

/** Does something with the account whose handle was typed. Its server is asked if it is unknown here. */
async function withAccount(page: UserPage, path: string, show: Show, act: (id: number) => void): Promise<Response> {
  const texts = page.texts(peopleTexts);
  const account = await resolveHandle(page.ctx, page.session.accountId, page.text("handle").trim());
  const isOwn = account?.id === page.session.accountId;
  if (!account || isOwn) {
    return show(page, { fields: { handle: isOwn ? texts.ownAccount : texts.unknownAccount }, status: 422 });
  }
  act(account.id);
  return page.redirect(path);
}

function muteOptions(page: UserPage): { notifications: boolean; duration: number } {
  const duration = DURATIONS.find((seconds) => String(seconds) === page.text("duration")) ?? 0;
  return { notifications: page.isChecked("notifications"), duration };
}

function blocksPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = blocksOf(ctx, session.accountId, range);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).blocks, status: problems.status },
    <>
      <p>{texts.blocksIntro}</p>
      <Form page={page} action={BLOCKS} problems={problems}>
        <Handle page={page} problems={problems} />
        <button class="primary">{texts.block}</button>
      </Form>
      {rows.length === 0 && range.max_id === null && <p>{texts.noBlocks}</p>}
      <ul class="entries">
        {showAccounts(ctx, idsOf(rows)).map((account) => (
          <Entry page={page} path={BLOCKS} account={account} button={texts.unblock} />
        ))}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function mutesPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = mutesOf(ctx, session.accountId, range);
  const isSent = page.params["handle"] !== undefined;
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).mutes, status: problems.status },
    <>
      <p>{texts.mutesIntro}</p>
      <Form page={page} action={MUTES} problems={problems}>
        <Handle page={page} problems={problems} />
        <Select
          name="duration"
          label={texts.duration}
          value={page.text("duration")}
          choices={[{ value: "", label: texts.forever }, ...durationChoices(page, DURATIONS)]}
        />
        <Checkbox
          name="notifications"
          label={texts.muteNotifications}
          checked={!isSent || page.isChecked("notifications")}
        />
        <button class="primary">{texts.mute}</button>
      </Form>
      {rows.length === 0 && range.max_id === null && <p>{texts.noMutes}</p>}
      <ul class="entries">
        {showAccounts(ctx, idsOf(rows)).map((account, at) => (
          <Entry page={page} path={MUTES} account={account} button={texts.unmute}>
            <MuteDetails page={page} row={rows[at]!} />
          </Entry>
        ))}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function MuteDetails({ page, row }: { page: UserPage; row: MutePlace }) {
  const texts = page.texts(peopleTexts);
  const { hide_notifications, expires_at } = row;
  const details = [
    hide_notifications === 0 && texts.notifiesStill,
    expires_at !== null && texts.mutedUntil(dateAndTime(page, expires_at)),
  ].filter(Boolean);
  return details.length > 0 ? <p class="help">{details.join(" · ")}</p> : null;
}

function Handle({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const texts = page.texts(peopleTexts);
  return (
    <Field
      name="handle"
      label={texts.handle}
      help={texts.handleHelp}
      value={page.text("handle")}
      error={problems.fields["handle"]}
      autocomplete="off"
      required
    />
  );
}

interface EntryProps {
  page: UserPage;
  path: string;
  account: AccountJson;
  /** The label of the button beside the account. */
  button: string;
  children?: ComponentChildren;
}

function Entry({ page, path, account, button, children }: EntryProps) {
  const label = page.texts(peopleTexts).about(button, nameOf(account));
  return (
    <li>
      <div class="entry">
        <Author page={page} account={account} />
        <ActionButton page={page} action={`${path}/remove`} values={{ entry: account.id }} label={label}>
          {button}
        </ActionButton>
      </div>
      {children}
    </li>
  );
}

function domainsPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = domainBlocksOf(ctx, session.accountId, range);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).domainBlocks, status: problems.status },
    <>
      <p>{texts.domainsIntro}</p>
      <Form page={page} action={DOMAINS} problems={problems}>
        <Field
          name="domain"
          label={texts.domain}
          help={texts.domainHelp}
          value={page.text("domain")}
          error={problems.fields["domain"]}
          autocomplete="off"
          required
        />
        <button class="primary">{texts.blockDomain}</button>
      </Form>
      {rows.length === 0 && range.max_id === null && <p>{texts.noDomains}</p>}
      <ul class="entries">
        {rows.map(({ domain }) => (
          <li class="entry">
            <strong>{domain}</strong>
            <ActionButton
              page={page}
              action={`${DOMAINS}/remove`}
              values={{ entry: domain }}
              label={texts.about(texts.unblock, domain)}
            >
              {texts.unblock}
            </ActionButton>
          </li>
        ))}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function addDomain(page: UserPage): Response {
  try {
    blockDomain(page.ctx, page.session.accountId, page.text("domain").trim());
  } catch (error) {
    return domainsPage(page, problemsAt(page, error, "domain"));
  }
  return page.redirect(DOMAINS);
}
