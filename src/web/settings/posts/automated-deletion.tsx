/** @jsxImportSource preact */
import {
  checkDeletionRules,
  DELETION_AGES,
  type DeletionRules,
  deletionRules,
  previewDeletion,
  saveDeletionRules,
} from "../../../core/statuses/automatic-deletion.ts";
import { isForEveryone } from "../../../core/visibility.ts";
import { showStatuses, type StatusJson } from "../../../entities/statuses/statuses.ts";
import { htmlToText } from "../../../lib/text/html.ts";
import { dayOf } from "../../page/dates.tsx";
import { Checkbox, Field, Form, type FormProblems, NO_PROBLEMS, problemsOf, Select } from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { nameOf } from "../../public/author.tsx";
import { settingsTexts } from "../texts.ts";
import { settingsPage } from "../settings.tsx";
import { postsTexts } from "./texts.ts";

const PATH = "/settings/automated-deletion";

/** The page where users have their old posts deleted, and see which ones that would be. */
export function automatedDeletionPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
}

function submit(page: UserPage): Response {
  const rules = typed(page);
  try {
    if (page.isChecked("preview")) checkDeletionRules(rules);
    else saveDeletionRules(page.ctx, page.session.accountId, rules);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
  return page.isChecked("preview") ? show(page, NO_PROBLEMS) : page.redirect(`${PATH}?saved`);
}

function typed(page: UserPage): DeletionRules {
  const flag = (name: string) => (page.isChecked(name) ? 1 : 0);
  const count = (name: string) => (page.text(name).trim() === "" ? null : Number(page.text(name)));
  return {
    enabled: flag("enabled"),
    min_age_days: DELETION_AGES.find((days) => String(days) === page.text("age")) ?? 14,
    keep_pinned: flag("keep_pinned"),
    keep_direct: flag("keep_direct"),
    keep_favourited: flag("keep_favourited"),
    keep_bookmarked: flag("keep_bookmarked"),
    keep_polls: flag("keep_polls"),
    keep_media: flag("keep_media"),
    min_favourites: count("favourites"),
    min_reblogs: count("boosts"),
  };
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(postsTexts);
  const isSent = page.request.method === "POST";
  const rules = isSent ? typed(page) : deletionRules(page.ctx.db, page.session.accountId);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).deletion, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <p>{texts.deletionIntro}</p>
      {problems.status === 200 && (isSent || rules.enabled === 1) && <Preview page={page} rules={rules} />}
      <Form page={page} action={PATH} problems={problems}>
        <Checkbox name="enabled" label={texts.enabled} checked={rules.enabled === 1} />
        <Select
          name="age"
          label={texts.age}
          value={String(rules.min_age_days)}
          choices={DELETION_AGES.map((days) => ({ value: String(days), label: texts.ages(days) }))}
        />
        <Exceptions page={page} rules={rules} />
        <Threshold page={page} name="favourites" count={rules.min_favourites} problems={problems} />
        <Threshold page={page} name="boosts" count={rules.min_reblogs} problems={problems} />
        <button class="primary">{page.messages.save}</button>
        <button name="preview" value="1">
          {texts.preview}
        </button>
      </Form>
    </>,
  );
}

function Exceptions({ page, rules }: { page: UserPage; rules: DeletionRules }) {
  const texts = page.texts(postsTexts);
  return (
    <fieldset class="field">
      <legend>{texts.exceptions}</legend>
      <Checkbox name="keep_pinned" label={texts.keepPinned} checked={rules.keep_pinned === 1} />
      <Checkbox name="keep_favourited" label={texts.keepFavourited} checked={rules.keep_favourited === 1} />
      <Checkbox name="keep_bookmarked" label={texts.keepBookmarked} checked={rules.keep_bookmarked === 1} />
      <Checkbox name="keep_direct" label={texts.keepDirect} checked={rules.keep_direct === 1} />
      <Checkbox name="keep_polls" label={texts.keepPolls} checked={rules.keep_polls === 1} />
      <Checkbox name="keep_media" label={texts.keepMedia} checked={rules.keep_media === 1} />
    </fieldset>
  );
}

function Threshold(props: {
  page: UserPage;
  name: "favourites" | "boosts";
  count: number | null;
  problems: FormProblems;
}) {
  const { page, name, count, problems } = props;
  const texts = page.texts(postsTexts);
  const isSent = page.request.method === "POST";
  return (
    <Field
      name={name}
      type="number"
      min={1}
      inputMode="numeric"
      autocomplete="off"
      label={texts[name]}
      help={texts.countHelp}
      error={problems.fields[name] ?? null}
      value={isSent ? page.text(name) : String(count ?? "")}
    />
  );
}

/** How many posts the rules would delete now, and the oldest of them. */
function Preview({ page, rules }: { page: UserPage; rules: DeletionRules }) {
  const { ctx, session } = page;
  const texts = page.texts(postsTexts);
  const { count, oldest } = previewDeletion(ctx, session.accountId, rules);
  const statuses = showStatuses(ctx, session.accountId, oldest);
  return (
    <section>
      <p role="status">
        <strong>{texts.wouldDelete(count)}</strong>
      </p>
      {statuses.length > 0 && (
        <>
          <h2>{texts.oldest}</h2>
          <ul class="entries">
            {statuses.map((status) => (
              <OldPost page={page} status={status} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const EXCERPT = 100;

function OldPost({ page, status }: { page: UserPage; status: StatusJson }) {
  const texts = page.texts(postsTexts);
  const { reblog } = status;
  const words = [
    ...htmlToText((reblog ?? status).content)
      .replaceAll(/\s+/g, " ")
      .trim(),
  ];
  const excerpt = words.length > EXCERPT ? `${words.slice(0, EXCERPT).join("")}…` : words.join("");
  const date = dayOf(page, status.created_at);
  const shown = <span dir="auto">{excerpt || texts.withoutText}</span>;
  return (
    <li>
      {isForEveryone(status.visibility) ? <a href={page.local((reblog ?? status).url)}>{shown}</a> : shown}
      <p class="help">{reblog ? `${date} · ${texts.boostOf(nameOf(reblog.account))}` : date}</p>
    </li>
  );
}
