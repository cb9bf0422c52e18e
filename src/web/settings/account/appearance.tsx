/** @jsxImportSource preact */
import { updateProfile } from "../../../core/people/profile.ts";
import { Form, Radios, type FormProblems } from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

const PATH = "/settings/appearance";

/** Each in its own language, so that users find theirs. */
const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
  { value: "fr", label: "Français" },
] as const;

/** The page where users choose the language of the pages. */
export function appearancePages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
}

function submit(page: UserPage): Response {
  const chosen = LANGUAGES.find(({ value }) => value === page.text("language"));
  updateProfile(page.ctx, page.session.accountId, { pageLanguage: chosen?.value ?? null });
  return page.redirect(`${PATH}?saved`);
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(accountTexts);
  const chosen = page.request.method === "POST" ? page.text("language") : (page.session.language ?? "");
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).appearance, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={PATH} problems={problems}>
        <Radios
          name="language"
          label={texts.pageLanguage}
          help={texts.pageLanguageHelp}
          value={chosen}
          choices={[{ value: "", label: texts.likeBrowser }, ...LANGUAGES]}
        />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}
