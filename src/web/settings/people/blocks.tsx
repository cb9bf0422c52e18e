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
import type { Page } from "../../../db/keyset.ts";
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

/** The parts in which the pages of the lists differ. */
interface ListProps {
  path: string;
  title: string;
  intro: string;
  /** The fields of the form for another entry, and its button. */
  fields: ComponentChildren;
  add: string;
  /** Said instead of an empty list. */
  empty: string;
  range: Page;
  rows: readonly { cursor: number }[];
  entries: ComponentChildren;
}

function listPage(page: UserPage, problems: FormProblems, list: ListProps): Response {
  const { range, rows } = list;
  return settingsPage(
    page,
    { title: list.title, status: problems.status },
    <>
      <p>{list.intro}</p>
      <Form page={page} action={list.path} problems={problems}>
        {list.fields}
        <button class="primary">{list.add}</button>
      </Form>
      {rows.length === 0 && range.max_id === null && <p>{list.empty}</p>}
      <ul class="entries">{list.entries}</ul>
      <Pagination page={page} range={range} rows={rows} />
    </>,
  );
}

function blocksPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = blocksOf(ctx, session.accountId, range);
  return listPage(page, problems, {
    path: BLOCKS,
    title: page.texts(settingsTexts).blocks,
    intro: texts.blocksIntro,
    fields: <Handle page={page} problems={problems} />,
    add: texts.block,
    empty: texts.noBlocks,
    range,
    rows,
    entries: showAccounts(ctx, idsOf(rows)).map((account) => (
      <AccountEntry page={page} path={BLOCKS} account={account} button={texts.unblock} />
    )),
  });
}

function mutesPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = mutesOf(ctx, session.accountId, range);
  const isSent = page.params["handle"] !== undefined;
  return listPage(page, problems, {
    path: MUTES,
    title: page.texts(settingsTexts).mutes,
    intro: texts.mutesIntro,
    fields: (
      <>
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
      </>
    ),
    add: texts.mute,
    empty: texts.noMutes,
    range,
    rows,
    entries: showAccounts(ctx, idsOf(rows)).map((account, at) => (
      <AccountEntry page={page} path={MUTES} account={account} button={texts.unmute}>
        <MuteDetails page={page} row={rows[at]!} />
      </AccountEntry>
    )),
  });
}

function domainsPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, session } = page;
  const texts = page.texts(peopleTexts);
  const range = rangeOf(page);
  const rows = domainBlocksOf(ctx, session.accountId, range);
  return listPage(page, problems, {
    path: DOMAINS,
    title: page.texts(settingsTexts).domainBlocks,
    intro: texts.domainsIntro,
    fields: (
      <Field
        name="domain"
        label={texts.domain}
        help={texts.domainHelp}
        value={page.text("domain")}
        error={problems.fields["domain"]}
        autocomplete="off"
        required
      />
    ),
    add: texts.blockDomain,
    empty: texts.noDomains,
    range,
    rows,
    entries: rows.map(({ domain }) => (
      <Entry page={page} path={DOMAINS} entry={domain} name={domain} button={texts.unblock}>
        <strong>{domain}</strong>
      </Entry>
    )),
  });
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
  /** The value of the form that removes it. */
  entry: string;
  name: string;
  button: string;
  children: ComponentChildren;
  details?: ComponentChildren;
}

/** An entry of a list with a button to remove it. */
function Entry({ page, path, entry, name, button, children, details }: EntryProps) {
  const label = page.texts(peopleTexts).about(button, name);
  return (
    <li>
      <div class="entry">
        {children}
        <ActionButton page={page} action={`${path}/remove`} values={{ entry }} label={label}>
          {button}
        </ActionButton>
      </div>
      {details}
    </li>
  );
}

interface AccountEntryProps extends Pick<EntryProps, "page" | "path" | "button"> {
  account: AccountJson;
  children?: ComponentChildren;
}

function AccountEntry({ account, children, ...props }: AccountEntryProps) {
  return (
    <Entry {...props} entry={account.id} name={nameOf(account)} details={children}>
      <Author page={props.page} account={account} />
    </Entry>
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
