/** @jsxImportSource preact */
import { findAccount, resolveHandle } from "../../../core/accounts.ts";
import { followingOf } from "../../../core/people/follows.ts";
import {
  addToList,
  createList,
  listsOf,
  membersOf,
  ownList,
  REPLIES_POLICIES,
  removeFromList,
  removeList,
  updateList,
  type ListRow,
} from "../../../core/timelines/lists.ts";
import { showAccounts } from "../../../entities/accounts.ts";
import { Refusal } from "../../../errors.ts";
import { parseId } from "../../../lib/ids.ts";
import {
  ActionButton,
  Checkbox,
  Field,
  Form,
  NO_PROBLEMS,
  problemsAt,
  Radios,
  type FormProblems,
} from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { Author, nameOf } from "../../public/author.tsx";
import { idsOf, Pagination, rangeOf } from "../../public/pagination.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { readingSettingsTexts } from "./texts.ts";

const PATH = "/settings/lists";
/** Followed accounts that the browser offers as members. */
const MAX_SUGGESTIONS = 200;

/** The lists of accounts, and a page for each with its settings and members. Their timelines are in `reading/`. */
export function listSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { show: listsPage, submit: create });
  pages.userForm(`${PATH}/:id`, { show: listPage, submit: save });
  pages.userPost(`${PATH}/:id/members`, { show: listPage, submit: add });
  pages.userPost(`${PATH}/:id/remove`, { show: listPage, submit: removeMember });
  pages.userPost(`${PATH}/:id/delete`, { show: listPage, submit: remove });
}

function listOf({ ctx, session, path }: UserPage): ListRow {
  return ownList(ctx.db, session.accountId, parseId(path[2]));
}

function listsPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const texts = page.texts(readingSettingsTexts);
  const lists = listsOf(page.ctx.db, page.session.accountId);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).lists, status: problems.status },
    <>
      <p>{texts.listsIntro}</p>
      {lists.length === 0 && <p>{texts.noLists}</p>}
      <ul class="entries">
        {lists.map(({ id, title }) => (
          <li class="entry">
            <a href={`/lists/${id}`} dir="auto">
              {title}
            </a>
            <a class="button small" href={`${PATH}/${id}`} aria-label={texts.about(texts.editList, title)}>
              {texts.editList}
            </a>
          </li>
        ))}
      </ul>
      <Form page={page} action={PATH} problems={problems}>
        <Title page={page} label={texts.newList} value={page.text("title")} error={problems.fields["title"]} />
        <button class="primary">{texts.createList}</button>
      </Form>
    </>,
  );
}

function create(page: UserPage): Response {
  const title = page.text("title").trim();
  try {
    const id = createList(page.ctx, page.session.accountId, { title, repliesPolicy: "list", exclusive: false });
    return page.redirect(`${PATH}/${id}`);
  } catch (error) {
    return listsPage(page, problemsAt(page, error, "title"));
  }
}

function Title(props: { page: UserPage; label: string; value: string; error: string | undefined }) {
  return (
    <Field
      name="title"
      label={props.label}
      value={props.value}
      error={props.error}
      autocomplete="off"
      isProse
      required
    />
  );
}

function listPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const texts = page.texts(readingSettingsTexts);
  const list = listOf(page);
  const path = `${PATH}/${list.id}`;
  const isSent = page.params["title"] !== undefined;
  return settingsPage(
    page,
    { title: list.title, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <p>
        <a href={`/lists/${list.id}`}>{texts.readList}</a>
      </p>
      <Members page={page} list={list} problems={problems} />
      <section>
        <h2>{page.messages.settings}</h2>
        <Form page={page} action={path}>
          <Title
            page={page}
            label={texts.listTitle}
            value={isSent ? page.text("title") : list.title}
            error={problems.fields["title"]}
          />
          <Radios
            name="replies"
            label={texts.listReplies}
            value={isSent ? page.text("replies") : list.replies_policy}
            choices={REPLIES_POLICIES.map((value) => ({ value, label: texts.repliesPolicies[value] }))}
          />
          <Checkbox
            name="exclusive"
            label={texts.exclusive}
            checked={isSent ? page.isChecked("exclusive") : list.exclusive === 1}
          />
          <button class="primary">{page.messages.save}</button>
        </Form>
      </section>
      <ActionButton page={page} action={`${path}/delete`} class="small danger">
        {texts.deleteList}
      </ActionButton>
      <p>
        <a href={PATH}>{texts.allLists}</a>
      </p>
    </>,
  );
}

function Members({ page, list, problems }: { page: UserPage; list: ListRow; problems: FormProblems }) {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const path = `${PATH}/${list.id}`;
  const range = rangeOf(page);
  const members = membersOf(ctx, list.id, range);
  const all = { ...range, max_id: null, limit: MAX_SUGGESTIONS };
  const followed = idsOf(followingOf(ctx, session.accountId, findAccount(ctx, session.accountId), all));
  return (
    <section>
      <h2>{texts.members}</h2>
      <Form page={page} action={`${path}/members`} problems={problems}>
        <Field
          name="member"
          label={texts.addMember}
          help={texts.addMemberHelp}
          value={page.text("member")}
          error={problems.fields["member"]}
          autocomplete="off"
          suggestions={showAccounts(ctx, followed).map(({ acct }) => `@${acct}`)}
          required
        />
        <button class="small">{texts.addToList}</button>
      </Form>
      {members.length === 0 && range.max_id === null && <p>{texts.noMembers}</p>}
      <ul class="entries">
        {showAccounts(ctx, idsOf(members)).map((account) => (
          <li class="entry">
            <Author page={page} account={account} />
            <ActionButton
              page={page}
              action={`${path}/remove`}
              values={{ id: account.id }}
              label={texts.about(texts.remove, nameOf(account))}
            >
              {texts.remove}
            </ActionButton>
          </li>
        ))}
      </ul>
      <Pagination page={page} range={range} rows={members} />
    </section>
  );
}

function save(page: UserPage): Response {
  const list = listOf(page);
  try {
    updateList(page.ctx, list, {
      title: page.text("title").trim(),
      repliesPolicy: REPLIES_POLICIES.find((each) => each === page.text("replies")),
      exclusive: page.isChecked("exclusive"),
    });
  } catch (error) {
    return listPage(page, problemsAt(page, error, "title"));
  }
  return page.redirect(`${PATH}/${list.id}?saved`);
}

async function add(page: UserPage): Promise<Response> {
  const { ctx, session } = page;
  const list = listOf(page);
  const account = await resolveHandle(ctx, session.accountId, page.text("member").trim());
  try {
    addToList(ctx, list, [account?.id ?? null]);
  } catch (error) {
    if (!(error instanceof Refusal && error.kind === "not_found"))
      return listPage(page, problemsAt(page, error, "member"));
    const texts = page.texts(readingSettingsTexts);
    const member = account ? texts.notFollowed : texts.unknownAccount;
    return listPage(page, { fields: { member }, status: 422 });
  }
  return page.redirect(`${PATH}/${list.id}`);
}

function removeMember(page: UserPage): Response {
  const list = listOf(page);
  removeFromList(page.ctx, list, [parseId(page.text("id"))]);
  return page.redirect(`${PATH}/${list.id}`);
}

function remove(page: UserPage): Response {
  removeList(page.ctx, listOf(page));
  return page.redirect(PATH);
}
