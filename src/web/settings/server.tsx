/** @jsxImportSource preact */
import { isOwner } from "../../core/people/users.ts";
import { checkAppearance, findAppearance, setAppearance, type Appearance } from "../../core/server/appearance.ts";
import { removeSitePicture, setSitePicture } from "../../core/server/site-pictures.ts";
import { IMAGE_LIMITS } from "../../core/media/limits.ts";
import { notFound } from "../../errors.ts";
import {
  Checkbox,
  Field,
  FileField,
  Form,
  NO_PROBLEMS,
  pictureProblems,
  problemsOf,
  TextArea,
  type FormProblems,
} from "../page/forms.tsx";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { serverTexts } from "./server-texts.ts";
import { settingsPage } from "./settings.tsx";

const PATH = "/settings/server";
/** The color of Linnet's own links, where the owner has chosen none. */
const OWN_ACCENT = "#ad2140";

/** The page where the owner decides how all pages look, and which robots may read them. */
export function serverSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit, isSensitive: true, maxBytes: IMAGE_LIMITS.bytes + 1024 * 1024 });
}

function show(page: UserPage, problems: FormProblems): Response {
  if (!isOwner(page.ctx.db, page.session.userId)) throw notFound();
  return serverPage(page, page.request.method === "POST" ? typed(page) : findAppearance(page.ctx.db), problems);
}

async function submit(page: UserPage): Promise<Response> {
  const { ctx } = page;
  if (!isOwner(ctx.db, page.session.userId)) throw notFound();
  const appearance = typed(page);
  const icon = page.file("icon");
  try {
    // Before the icon is stored, so that a refusal changes nothing.
    checkAppearance(appearance);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
  try {
    if (icon) await setSitePicture(ctx, "icon", await icon.bytes(), null);
    else if (page.isChecked("remove_icon")) removeSitePicture(ctx, "icon");
  } catch (error) {
    return show(page, pictureProblems(page, error, "icon"));
  }
  setAppearance(ctx, appearance);
  return page.redirect(`${PATH}?saved`);
}

function typed(page: UserPage): Appearance {
  const shown = findAppearance(page.ctx.db).accent ?? OWN_ACCENT;
  const accent = page.text("accent");
  return {
    // Another color than the one that was shown is a choice, too.
    accent: page.isChecked("has_accent") || (accent !== "" && accent !== shown) ? accent : null,
    css: page.text("css").replaceAll("\r\n", "\n"),
    isIndexed: page.isChecked("indexed"),
    allowsAi: page.isChecked("ai"),
  };
}

function serverPage(page: UserPage, values: Appearance, problems = NO_PROBLEMS): Response {
  const texts = page.texts(serverTexts);
  return settingsPage(
    page,
    { title: texts.title, status: problems.status, hasOwnStyles: false },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={PATH} problems={problems} multipart>
        <fieldset class="field stack">
          <legend>{texts.icon}</legend>
          <FileField
            name="icon"
            label={texts.newIcon}
            accept="image/*"
            help={texts.iconHelp}
            error={problems.fields["icon"]}
          />
          <Checkbox name="remove_icon" label={texts.removeIcon} checked={false} />
        </fieldset>
        <fieldset class="field stack">
          <legend>{texts.accent}</legend>
          <Checkbox
            name="has_accent"
            label={texts.ownAccent}
            checked={values.accent !== null}
            help={texts.accentHelp}
          />
          <Field
            name="accent"
            type="color"
            label={texts.color}
            value={values.accent ?? OWN_ACCENT}
            autocomplete="off"
            error={problems.fields["accent"]}
          />
        </fieldset>
        <TextArea
          name="css"
          label={texts.css}
          help={texts.cssHelp}
          value={values.css}
          rows={6}
          error={problems.fields["css"]}
        />
        <fieldset class="field">
          <legend>{texts.robots}</legend>
          <Checkbox name="indexed" label={texts.indexed} help={texts.indexedHelp} checked={values.isIndexed} />
          <Checkbox name="ai" label={texts.ai} help={texts.aiHelp} checked={values.allowsAi} />
        </fieldset>
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}
