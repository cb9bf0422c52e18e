/** @jsxImportSource preact */
import {
  createFilter,
  FILTER_ACTIONS,
  FILTER_CONTEXTS,
  filtersOf,
  keywordsOf,
  filterStatusesOf,
  ownFilter,
  ownFilterStatus,
  removeFilter,
  removeFilterStatus,
  settingsOf,
  updateFilter,
  type FilterKeywordRow,
  type FilterRow,
} from "../../../core/timelines/filters.ts";
import { visibleAmong } from "../../../core/visibility.ts";
import { showStatuses } from "../../../entities/statuses/statuses.ts";
import { parseId } from "../../../lib/ids.ts";
import { durationChoices } from "../../page/choices.ts";
import {
  ActionButton,
  Checkbox,
  Field,
  Form,
  problemsOf,
  Radios,
  Select,
  type FieldsByReason,
  type FormProblems,
} from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { dateAndTime } from "../../page/dates.tsx";
import { postPath } from "../../public/links.ts";
import { postTitle } from "../../public/posts/post.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { asForm, keywordChanges, keywordFields, type FilterForm } from "./filter-form.ts";
import { readingSettingsTexts } from "./texts.ts";

const PATH = "/settings/filters";
/** In seconds. */
const EXPIRIES = [1800, 3600, 6 * 3600, 12 * 3600, 24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600];

/** The list of filters, and a page to add or change one. */
export function filterSettingsPages(pages: Pages): void {
  pages.userGet(PATH, listPage);
  pages.userForm(`${PATH}/:id`, { show: filterPage, submit: save });
  pages.userPost(`${PATH}/:id/delete`, { show: filterPage, submit: remove });
  pages.userPost(`${PATH}/:id/remove-post`, { show: filterPage, submit: removePost });
}

function listPage(page: UserPage): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const filters = filtersOf(ctx.db, session.accountId);
  const keywords = Map.groupBy(keywordsOf(ctx.db, session.accountId, null), (row) => row.filter_id);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).filters },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <p>{texts.filtersIntro}</p>
      {filters.length === 0 && <p>{texts.noFilters}</p>}
      <ul class="entries links-to">
        {filters.map((filter) => (
          <FilterEntry page={page} filter={filter} keywords={keywords.get(filter.id) ?? []} />
        ))}
      </ul>
      <a class="button small" href={`${PATH}/new`}>
        {texts.newFilter}
      </a>
    </>,
  );
}

const MAX_SHOWN = 8;

function FilterEntry(props: { page: UserPage; filter: FilterRow; keywords: readonly FilterKeywordRow[] }) {
  const { page, filter, keywords } = props;
  const texts = page.texts(readingSettingsTexts);
  const { context } = settingsOf(filter);
  const places = FILTER_CONTEXTS.filter((each) => context.includes(each)).map((each) => texts.contexts[each]);
  const words = keywords.slice(0, MAX_SHOWN).map(({ keyword }) => keyword);
  return (
    <li>
      <a href={`${PATH}/${filter.id}`}>
        <strong dir="auto">{filter.title}</strong>
        {words.length > 0 && (
          <span class="help" dir="auto">
            {words.join(", ")}
            {keywords.length > MAX_SHOWN && " …"}
          </span>
        )}
        <span class="help">
          {[texts.actions[filter.filter_action][0], places.join(", "), expiryOf(page, filter.expires_at)]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </a>
    </li>
  );
}

function expiryOf(page: UserPage, expiresAt: number | null): string | null {
  if (expiresAt === null) return null;
  const texts = page.texts(readingSettingsTexts);
  const date = dateAndTime(page, expiresAt);
  return expiresAt > page.ctx.clock.now() ? texts.filterUntil(date) : texts.filterExpired(date);
}

/** Null for a new one. */
function filterOf(page: UserPage): FilterRow | null {
  const { ctx, session, path } = page;
  return path[2] === "new" ? null : ownFilter(ctx.db, session.accountId, parseId(path[2]));
}

function save(page: UserPage): Response {
  const { ctx, session } = page;
  const id = parseId(page.path[2]);
  const filter = id === null ? null : filtersOf(ctx.db, session.accountId).find((each) => each.id === id);
  // It was deleted since the form was shown, and can be created again.
  if (filter === undefined) {
    return filterPage(page, { problem: page.texts(readingSettingsTexts).filterGone, fields: {}, status: 422 }, null);
  }
  const { title, context, action, expiry, keywords } = asForm(page, null, []);
  const posts = filter ? filterStatusesOf(ctx.db, session.accountId, filter.id) : [];
  if (posts.length === 0 && keywords.every(({ keyword }) => keyword === "")) {
    return filterPage(page, { fields: { keywords: page.texts(readingSettingsTexts).noKeywords }, status: 422 });
  }
  const expiresAt = expiry === "keep" ? (filter?.expires_at ?? null) : endOf(page, expiry);
  const settings = { title: title.trim(), context, action, expiresAt };
  const stored = filter ? keywordsOf(ctx.db, session.accountId, filter.id) : [];
  const changes = keywordChanges(page, stored);
  try {
    if (filter) updateFilter(ctx, session.accountId, filter, settings, changes);
    else createFilter(ctx, session.accountId, settings, changes);
  } catch (error) {
    return filterPage(page, problemsOf(page, error, FIELDS));
  }
  return page.redirect(`${PATH}?saved`);
}

function endOf(page: UserPage, expiry: string): number | null {
  const seconds = EXPIRIES.find((each) => String(each) === expiry);
  return seconds === undefined ? null : page.ctx.clock.now() + seconds * 1000;
}

const FIELDS: FieldsByReason = [
  ["title", /^Title/],
  ["context", /^Context/],
  ["keywords", /^Keyword/],
];

function removePost(page: UserPage): Response {
  const { ctx, session } = page;
  removeFilterStatus(ctx, session.accountId, ownFilterStatus(ctx.db, session.accountId, parseId(page.text("post"))));
  return page.redirect(`${PATH}/${filterOf(page)!.id}`);
}

function remove(page: UserPage): Response {
  const { ctx, session } = page;
  removeFilter(ctx, session.accountId, ownFilter(ctx.db, session.accountId, parseId(page.path[2])));
  return page.redirect(PATH);
}

function filterPage(page: UserPage, problems: FormProblems, filter = filterOf(page)): Response {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const path = `${PATH}/${filter?.id ?? "new"}`;
  const form = asForm(page, filter, filter ? keywordsOf(ctx.db, session.accountId, filter.id) : []);
  return settingsPage(
    page,
    { title: filter ? filter.title : texts.newFilter, status: problems.status },
    <>
      <Form page={page} action={path} problems={problems}>
        <Field
          name="title"
          label={texts.filterTitle}
          value={form.title}
          error={problems.fields["title"]}
          autocomplete="off"
          isProse
          required
        />
        <Keywords page={page} form={form} error={problems.fields["keywords"]} />
        <Contexts page={page} form={form} error={problems.fields["context"]} />
        <Radios
          name="action"
          label={texts.filterAction}
          value={form.action}
          choices={FILTER_ACTIONS.map((value) => ({
            value,
            label: texts.actions[value][0]!,
            help: texts.actions[value][1],
          }))}
        />
        <Select
          name="expiry"
          label={texts.filterExpiry}
          value={form.expiry}
          choices={[
            ...(filter?.expires_at ? [{ value: "keep", label: expiryOf(page, filter.expires_at)! }] : []),
            { value: "", label: texts.never },
            ...durationChoices(page, EXPIRIES),
          ]}
        />
        <button class="primary">{page.messages.save}</button>
      </Form>
      {filter && <FilteredPosts page={page} filter={filter} />}
      {filter && (
        <ActionButton page={page} action={`${path}/delete`} class="small danger">
          {texts.deleteFilter}
        </ActionButton>
      )}
      <p>
        <a href={PATH}>{texts.allFilters}</a>
      </p>
    </>,
  );
}

function Keywords({ page, form, error }: { page: UserPage; form: FilterForm; error: string | undefined }) {
  const texts = page.texts(readingSettingsTexts);
  const rows = keywordFields(form);
  return (
    <fieldset class="field" aria-describedby={error ? "keywords-error" : undefined}>
      <legend>{texts.keywords}</legend>
      <p class="help">{texts.keywordsHelp}</p>
      {error && (
        <p class="error" id="keywords-error" role="alert">
          {error}
        </p>
      )}
      {rows.map(({ name, keyword, wholeWord }, at) => (
        <div class="pair switched">
          <Field
            name={`keyword_${name}`}
            label={texts.keyword(at + 1)}
            value={keyword}
            autocomplete="off"
            isProse
            autofocus={at === 0 && Boolean(error)}
          />
          <Checkbox name={`whole_${name}`} label={texts.wholeWord} checked={wholeWord} />
        </div>
      ))}
    </fieldset>
  );
}

/** The posts that apps have added to the filter, which are filtered whatever their text. */
function FilteredPosts({ page, filter }: { page: UserPage; filter: FilterRow }) {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const rows = filterStatusesOf(ctx.db, session.accountId, filter.id);
  const visible = visibleAmong(
    ctx,
    session.accountId,
    rows.map(({ status_id }) => status_id),
  );
  const posts = new Map(showStatuses(ctx, session.accountId, visible).map((post) => [Number(post.id), post]));
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{texts.filteredPosts}</h2>
      <p class="help">{texts.filteredPostsHelp}</p>
      <ul class="entries">
        {rows.map(({ id, status_id }) => {
          const post = posts.get(status_id);
          const title = post ? postTitle(page, post) : texts.hiddenPost;
          return (
            <li class="entry">
              {post ? (
                <a href={postPath(page, post)} dir="auto">
                  {title}
                </a>
              ) : (
                <span>{title}</span>
              )}
              <ActionButton
                page={page}
                action={`${PATH}/${filter.id}/remove-post`}
                values={{ post: String(id) }}
                label={texts.about(texts.remove, title)}
              >
                {texts.remove}
              </ActionButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Contexts({ page, form, error }: { page: UserPage; form: FilterForm; error: string | undefined }) {
  const texts = page.texts(readingSettingsTexts);
  return (
    <fieldset class="field" aria-describedby={error ? "context-error" : undefined}>
      <legend>{texts.filterContexts}</legend>
      {FILTER_CONTEXTS.map((context) => (
        <Checkbox
          name={`context_${context}`}
          label={texts.contexts[context]}
          checked={form.context.includes(context)}
        />
      ))}
      {error && (
        <p class="error" id="context-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
