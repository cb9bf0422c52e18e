/** @jsxImportSource preact */
import {
  featuredTagsOf,
  featureTag,
  MAX_FEATURED_TAGS,
  removeFeaturedTag,
  suggestedTags,
} from "../../../core/discovery/featured-tags.ts";
import { followedTags, followTag, unfollowTag } from "../../../core/discovery/tag-follows.ts";
import { showTags } from "../../../entities/tags.ts";
import { parseId } from "../../../lib/ids.ts";
import { ActionButton, Field, Form, NO_PROBLEMS, problemsAt, type FormProblems } from "../../page/forms.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { idsOf, Pagination, rangeOf } from "../../public/pagination.tsx";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { readingSettingsTexts } from "./texts.ts";

const PATH = "/settings/hashtags";

/** The hashtags that the user follows, and those that the profile features. */
export function hashtagSettingsPages(pages: Pages): void {
  pages.userGet(PATH, (page) => hashtagsPage(page));
  action(pages, "follow", ({ ctx, session }, name) => followTag(ctx, session.accountId, name));
  action(pages, "unfollow", ({ ctx, session }, name) => unfollowTag(ctx, session.accountId, name));
  action(pages, "feature", ({ ctx, session }, name) => featureTag(ctx, session.accountId, name));
  action(pages, "unfeature", ({ ctx, session }, id) => removeFeaturedTag(ctx, session.accountId, parseId(id)));
}

function action(pages: Pages, name: string, act: (page: UserPage, tag: string) => unknown): void {
  pages.userPost(`${PATH}/${name}`, {
    show: hashtagsPage,
    submit: (page) => {
      try {
        act(
          page,
          page
            .text(name)
            .trim()
            .replace(/^[#＃]/, ""),
        );
      } catch (error) {
        return hashtagsPage(page, problemsAt(page, error, name));
      }
      return page.redirect(PATH);
    },
  });
}

function hashtagsPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).hashtags, status: problems.status },
    <>
      <Followed page={page} problems={problems} />
      <Featured page={page} problems={problems} />
    </>,
  );
}

function Followed({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const range = rangeOf(page);
  const rows = followedTags(ctx, session.accountId, range);
  return (
    <section>
      <h2>{texts.followedTags}</h2>
      <p>{texts.followedTagsHelp}</p>
      <TagForm page={page} name="follow" label={texts.followTag} button={texts.follow} problems={problems} />
      {rows.length === 0 && range.max_id === null && <p>{texts.noFollowedTags}</p>}
      <ul class="entries">
        {showTags(ctx, session.accountId, idsOf(rows)).map(({ name, url }) => (
          <li class="entry">
            <a href={page.local(url)}>#{name}</a>
            <ActionButton
              page={page}
              action={`${PATH}/unfollow`}
              values={{ unfollow: name }}
              label={texts.about(texts.unfollow, `#${name}`)}
            >
              {texts.unfollow}
            </ActionButton>
          </li>
        ))}
      </ul>
      <Pagination page={page} range={range} rows={rows} />
    </section>
  );
}

function Featured({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const { ctx, session } = page;
  const texts = page.texts(readingSettingsTexts);
  const rows = featuredTagsOf(ctx.db, session.accountId);
  const suggested = showTags(ctx, session.accountId, suggestedTags(ctx.db, session.accountId));
  return (
    <section>
      <h2>{texts.featuredTags}</h2>
      <p>{texts.featuredTagsHelp(MAX_FEATURED_TAGS)}</p>
      {rows.length < MAX_FEATURED_TAGS && (
        <TagForm
          page={page}
          name="feature"
          label={texts.featureTag}
          button={texts.feature}
          problems={problems}
          suggestions={suggested.map(({ name }) => name)}
        />
      )}
      {rows.length === 0 && <p>{texts.noFeaturedTags}</p>}
      <ul class="entries">
        {rows.map(({ id, name, statuses_count }) => (
          <li class="entry">
            <div>
              #{name} <span class="help">{page.messages.posts(statuses_count)}</span>
            </div>
            <ActionButton
              page={page}
              action={`${PATH}/unfeature`}
              values={{ unfeature: String(id) }}
              label={texts.about(texts.remove, `#${name}`)}
            >
              {texts.remove}
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TagFormProps {
  page: UserPage;
  name: "follow" | "feature";
  label: string;
  button: string;
  problems: FormProblems;
  suggestions?: readonly string[];
}

function TagForm({ page, name, label, button, problems, suggestions }: TagFormProps) {
  const isSent = page.params[name] !== undefined;
  return (
    <Form page={page} action={`${PATH}/${name}`} problems={isSent ? problems : undefined}>
      <Field
        name={name}
        label={label}
        value={page.text(name)}
        error={problems.fields[name]}
        autocomplete="off"
        maxLength={200}
        suggestions={suggestions}
        required
      />
      <button class="small">{button}</button>
    </Form>
  );
}
