/** @jsxImportSource preact */
import { updateProfile } from "../../../core/people/profile.ts";
import { showCredentialAccount } from "../../../entities/accounts.ts";
import { Checkbox, Form, type FormProblems } from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

const PATH = "/settings/privacy";

/** The names of the boxes, with their property of an account and their changes of a profile. */
const SWITCHES = {
  locked: "locked",
  discoverable: "discoverable",
  indexable: "indexable",
  hide_collections: "hideCollections",
  show_media: "showMedia",
  show_media_replies: "showMediaReplies",
  show_featured: "showFeatured",
} as const;
const NAMES = Object.keys(SWITCHES) as (keyof typeof SWITCHES)[];

type Values = Record<keyof typeof SWITCHES, boolean>;

/** The page where users decide who may follow and find them, and what their profile shows. */
export function privacyPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
}

function typed(page: UserPage): Values {
  return Object.fromEntries(NAMES.map((name) => [name, page.isChecked(name)])) as Values;
}

function submit(page: UserPage): Response {
  const values = typed(page);
  const changes = Object.fromEntries(NAMES.map((name) => [SWITCHES[name], values[name]]));
  updateProfile(page.ctx, page.session.accountId, changes);
  return page.redirect(`${PATH}?saved`);
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(accountTexts);
  const { source, ...account } = showCredentialAccount(page.ctx, page.session.accountId);
  // For suspended accounts, the account itself hides what its user has chosen.
  const values: Values =
    page.request.method === "POST"
      ? typed(page)
      : {
          ...account,
          discoverable: source.discoverable,
          indexable: source.indexable,
          hide_collections: source.hide_collections,
        };
  const box = (name: keyof Values, label: string, help?: string) => (
    <Checkbox name={name} label={label} help={help} checked={values[name]} />
  );
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).privacy, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={PATH} problems={problems}>
        <h2>{texts.reach}</h2>
        {box("locked", texts.locked, texts.lockedHelp)}
        {box("discoverable", texts.discoverable, texts.discoverableHelp)}
        {box("indexable", texts.indexable, texts.indexableHelp)}
        <h2>{texts.onProfile}</h2>
        {box("hide_collections", texts.hideCollections, texts.hideCollectionsHelp)}
        {box("show_media", texts.showMedia)}
        {box("show_media_replies", texts.showMediaReplies)}
        {box("show_featured", texts.showFeatured)}
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}
