/** @jsxImportSource preact */
import { DEFAULT_PRIVACIES, updateProfile, type ProfileChanges } from "../../core/people/profile.ts";
import { showCredentialAccount } from "../../entities/accounts.ts";
import { CONTENT_TYPES } from "../../lib/text/formats.ts";
import { isLocale } from "../../lib/text/languages.ts";
import { formatChoices, languageChoices, visibilityChoices } from "../page/choices.ts";
import { Checkbox, Form, Radios, Select, type FormProblems } from "../page/forms.tsx";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "./settings.tsx";
import { settingsTexts } from "./texts.ts";

const PATH = "/settings/posting";

/** The page where users decide how their posts start out. */
export function postingSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
}

function submit(page: UserPage): Response {
  updateProfile(page.ctx, page.session.accountId, typed(page));
  return page.redirect(`${PATH}?saved`);
}

function typed(page: UserPage): Pick<ProfileChanges, "privacy" | "sensitive" | "language" | "contentType"> {
  const language = page.text("language");
  return {
    privacy: DEFAULT_PRIVACIES.find((each) => each === page.text("visibility")),
    sensitive: page.isChecked("sensitive"),
    language: isLocale(language) ? language : null,
    contentType: CONTENT_TYPES.find((each) => each === page.text("format")),
  };
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(settingsTexts);
  const { source } = showCredentialAccount(page.ctx, page.session.accountId);
  const chosen = { ...source, contentType: source.status_content_type };
  const values = page.request.method === "POST" ? { ...chosen, ...typed(page) } : chosen;
  return settingsPage(
    page,
    { title: texts.posting, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={PATH} problems={problems}>
        <Radios
          name="visibility"
          label={texts.visibility}
          value={values.privacy ?? source.privacy}
          choices={visibilityChoices(page, DEFAULT_PRIVACIES)}
        />
        <Radios
          name="format"
          label={texts.format}
          value={values.contentType ?? chosen.contentType}
          choices={formatChoices(page)}
        />
        <Select
          name="language"
          label={texts.language}
          value={values.language ?? ""}
          choices={languageChoices(page, texts.anyLanguage)}
          help={texts.languageHelp}
        />
        <Checkbox name="sensitive" label={texts.sensitive} checked={values.sensitive ?? false} />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}
