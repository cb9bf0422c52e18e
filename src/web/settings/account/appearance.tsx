/** @jsxImportSource preact */
import { EXPAND_MEDIA, updateProfile } from "../../../core/people/profile.ts";
import { isTimeZone } from "../../../lib/dates.ts";
import { script } from "../../assets.ts";
import { UTC } from "../../page/dates.tsx";
import { Checkbox, Form, Radios, Select, type Choice, type FormProblems } from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

export const APPEARANCE = "/settings/appearance";

/** Each in its own language, so that users find theirs. */
const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "de", label: "Deutsch" },
  { value: "fr", label: "Français" },
] as const;

/** The page where users choose the language and the time zone of the pages, and what is open in posts. */
export function appearancePages(pages: Pages): void {
  pages.userForm(APPEARANCE, { show, submit });
}

function submit(page: UserPage): Response {
  const chosen = LANGUAGES.find(({ value }) => value === page.text("language"));
  const timeZone = page.text("time_zone");
  updateProfile(page.ctx, page.session.accountId, {
    pageLanguage: chosen?.value ?? null,
    timeZone: isTimeZone(timeZone) ? timeZone : undefined,
    expandMedia: EXPAND_MEDIA.find((each) => each === page.text("media")),
    expandSpoilers: page.isChecked("spoilers"),
  });
  return page.redirect(`${APPEARANCE}?saved`);
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(accountTexts);
  const { reading } = page;
  const { language, timeZone } = page.session;
  const isSent = page.request.method === "POST";
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).appearance, status: problems.status, scripts: [script] },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={APPEARANCE} problems={problems}>
        <Radios
          name="language"
          label={texts.pageLanguage}
          help={texts.pageLanguageHelp}
          value={isSent ? page.text("language") : (language ?? "")}
          choices={[{ value: "", label: texts.likeBrowser }, ...LANGUAGES]}
        />
        <Select
          name="time_zone"
          label={texts.timeZone}
          help={texts.timeZoneHelp}
          value={isSent ? page.text("time_zone") : (timeZone ?? "")}
          choices={timeZoneChoices(timeZone, texts.noTimeZone)}
          isUnset={timeZone === null && !isSent}
        />
        <Radios
          name="media"
          label={texts.media}
          value={isSent ? page.text("media") : reading.expandMedia}
          choices={EXPAND_MEDIA.map((value) => ({ value, label: texts.expandMedia[value] }))}
        />
        <Checkbox
          name="spoilers"
          label={texts.expandSpoilers}
          help={texts.expandHelp}
          checked={isSent ? page.isChecked("spoilers") : reading.expandSpoilers}
        />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}

/** All time zones, after `none` if none is chosen. The chosen one may have a name that is not in the list, but is known. */
function timeZoneChoices(chosen: string | null, none: string): Choice[] {
  const names = new Set([UTC, ...(chosen === null ? [] : [chosen]), ...Intl.supportedValuesOf("timeZone")]);
  const choices = [...names].map((value) => ({ value, label: value.replaceAll("_", " ") }));
  return chosen === null ? [{ value: "", label: none }, ...choices] : choices;
}
