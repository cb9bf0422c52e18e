/** @jsxImportSource preact */
import { AVATAR_BYTES } from "../../core/media/limits.ts";
import { PictureRefusal, storePictures } from "../../core/media/profile-pictures.ts";
import {
  checkProfile,
  MAX_FIELD_LENGTH,
  MAX_FIELDS,
  updateProfile,
  type ProfileChanges,
} from "../../core/people/profile.ts";
import { showCredentialAccount } from "../../entities/accounts.ts";
import {
  Checkbox,
  Field,
  FileField,
  Form,
  NO_PROBLEMS,
  pictureProblems,
  problemsOf,
  Select,
  TextArea,
  type FieldsByReason,
  type FormProblems,
} from "../page/forms.tsx";
import { CROPS, type Crop } from "../../lib/media/images.ts";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "./settings.tsx";
import { settingsTexts } from "./texts.ts";

const PATH = "/settings/profile";
const MAX_BYTES = 2 * AVATAR_BYTES + 1024 * 1024;

/** The values that the form shows: the stored profile, or what was typed. */
interface Values {
  displayName: string;
  note: string;
  fields: { name: string; value: string }[];
  avatarDescription: string;
  headerDescription: string;
  bot: boolean;
}

/** The page where users change their profile. */
export function profileSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit, maxBytes: MAX_BYTES });
}

function show(page: UserPage, problems: FormProblems): Response {
  return profilePage(page, page.request.method === "POST" ? typed(page) : stored(page), problems);
}

async function submit(page: UserPage): Promise<Response> {
  const { ctx } = page;
  const { accountId } = page.session;
  try {
    const changes = changesOf(page);
    // Before any file is written, so that a refusal leaves no files behind.
    checkProfile(changes);
    const files = { avatar: page.file("avatar"), header: page.file("header") };
    const crops = { avatar: cropOf(page, "avatar"), header: cropOf(page, "header") };
    const pictures = await storePictures(ctx, accountId, files, crops);
    updateProfile(ctx, accountId, {
      ...changes,
      avatar: pictures.avatar ?? (page.isChecked("remove_avatar") ? null : undefined),
      header: pictures.header ?? (page.isChecked("remove_header") ? null : undefined),
    });
    return page.redirect(`${PATH}?saved`);
  } catch (error) {
    const problems = error instanceof PictureRefusal ? pictureProblems(page, error, error.picture) : null;
    return show(page, problems ?? problemsOf(page, error, fieldsByReason(typed(page))));
  }
}

/** The fields of the profile's table that are refused are the first ones of their kind. */
function fieldsByReason({ fields }: Values): FieldsByReason {
  const isLong = (text: string) => [...text].length > MAX_FIELD_LENGTH;
  const unnamed = fields.findIndex(({ name, value }) => name === "" && value !== "");
  return [
    ["display_name", /^Display name/],
    ["note", /^Note/],
    ["avatar_description", /^Avatar description/],
    ["header_description", /^Header description/],
    [`field_name_${unnamed}`, /^Profile field name can't be blank/],
    [`field_name_${fields.findIndex(({ name }) => isLong(name))}`, /^Profile field name/],
    [`field_value_${fields.findIndex(({ value }) => isLong(value))}`, /^Profile field value/],
  ];
}

function cropOf(page: UserPage, kind: "avatar" | "header"): Crop {
  return CROPS.find((crop) => crop === page.text(`${kind}_crop`)) ?? "centre";
}

function stored(page: UserPage): Values {
  const { source, ...account } = showCredentialAccount(page.ctx, page.session.accountId);
  return {
    displayName: account.display_name,
    note: source.note,
    fields: source.fields,
    avatarDescription: account.avatar_description,
    headerDescription: account.header_description,
    bot: account.bot,
  };
}

function typed(page: UserPage): Values {
  return {
    displayName: page.text("display_name"),
    note: page.text("note"),
    fields: Array.from({ length: MAX_FIELDS }, (_, at) => ({
      name: page.text(`field_name_${at}`).trim(),
      value: page.text(`field_value_${at}`).trim(),
    })),
    avatarDescription: page.text("avatar_description"),
    headerDescription: page.text("header_description"),
    bot: page.isChecked("bot"),
  };
}

function changesOf(page: UserPage): ProfileChanges {
  const values = typed(page);
  return {
    ...values,
    displayName: values.displayName.trim(),
    note: values.note.trim(),
    fields: values.fields.filter(({ name, value }) => name !== "" || value !== ""),
  };
}

function profilePage(page: UserPage, values: Values, problems = NO_PROBLEMS): Response {
  const texts = page.texts(settingsTexts);
  return settingsPage(
    page,
    { title: page.messages.profile, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <Form page={page} action={PATH} problems={problems} multipart>
        <Field
          name="display_name"
          label={page.messages.displayName}
          value={values.displayName}
          autocomplete="name"
          isProse
          error={problems.fields["display_name"]}
        />
        <TextArea name="note" label={texts.note} value={values.note} rows={4} error={problems.fields["note"]} />
        <fieldset class="field">
          <legend>{texts.fields}</legend>
          <p class="help">{texts.fieldsHelp}</p>
          {Array.from({ length: MAX_FIELDS }, (_, at) => (
            <ProfileField page={page} at={at} values={values.fields[at]} problems={problems} />
          ))}
        </fieldset>
        <Picture page={page} kind="avatar" description={values.avatarDescription} problems={problems} />
        <Picture page={page} kind="header" description={values.headerDescription} problems={problems} />
        <Checkbox name="bot" label={texts.bot} checked={values.bot} />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}

interface ProfileFieldProps {
  page: UserPage;
  at: number;
  values: { name: string; value: string } | undefined;
  problems: FormProblems;
}

function ProfileField({ page, at, values, problems }: ProfileFieldProps) {
  const texts = page.texts(settingsTexts);
  const field = (name: string) => ({ name, error: problems.fields[name], autocomplete: "off", isProse: true });
  return (
    <div class="pair">
      <Field {...field(`field_name_${at}`)} label={texts.fieldName(at + 1)} value={values?.name} />
      <Field {...field(`field_value_${at}`)} label={texts.fieldValue(at + 1)} value={values?.value} />
    </div>
  );
}

interface PictureProps {
  page: UserPage;
  kind: "avatar" | "header";
  description: string;
  problems: FormProblems;
}

function Picture({ page, kind, description, problems }: PictureProps) {
  const texts = page.texts(settingsTexts);
  const isAvatar = kind === "avatar";
  const account = showCredentialAccount(page.ctx, page.session.accountId);
  const url = account[`${kind}_static`];
  const hasPicture = !url.endsWith("/missing.png");
  return (
    <fieldset class="field stack">
      <legend>{isAvatar ? texts.avatar : texts.header}</legend>
      {hasPicture && <img class={`present ${kind}`} src={page.local(url)} alt={account[`${kind}_description`]} />}
      <FileField
        name={kind}
        label={texts.newPicture}
        accept="image/*"
        help={texts.pictureHelp(AVATAR_BYTES >> 20)}
        error={problems.fields[kind]}
      />
      <Select
        name={`${kind}_crop`}
        label={texts.crop}
        help={texts.cropHelp}
        value={cropOf(page, kind)}
        choices={CROPS.map((value) => ({ value, label: texts.crops[value] }))}
      />
      <Field
        name={`${kind}_description`}
        label={texts.pictureDescription}
        value={description}
        autocomplete="off"
        isProse
        error={problems.fields[`${kind}_description`]}
      />
      {hasPicture && <Checkbox name={`remove_${kind}`} label={texts.removePicture} checked={false} />}
    </fieldset>
  );
}
