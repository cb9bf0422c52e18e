/** @jsxImportSource preact */
import type { PublishResult } from "../../core/statuses/idempotency.ts";
import { visibleAmong, VISIBILITIES } from "../../core/visibility.ts";
import { showStatus, type OriginalJson } from "../../entities/statuses/statuses.ts";
import { Refusal } from "../../errors.ts";
import { countCharacters } from "../../lib/text/text.ts";
import { parseId } from "../../lib/ids.ts";
import { script } from "../assets.ts";
import { formatChoices, languageChoices, visibilityChoices } from "../page/choices.ts";
import { Checkbox, Field, Form, Hidden, NO_PROBLEMS, Select, TextArea, type FormProblems } from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { nameOf } from "../public/author.tsx";
import { Post } from "../public/posts/posts.tsx";
import { Interaction } from "./interaction.tsx";
import { MediaFields } from "./media-fields.tsx";
import { PollFields } from "./poll.tsx";
import { composeProblems } from "./problems.ts";
import { Schedule } from "./schedule.tsx";
import { changeLater, editPost, publishedBefore, publishPost } from "./submit.ts";
import { composeTexts } from "./texts.ts";
import { addUploads, FORM_BYTES, removeUpload } from "./uploads.ts";
import { initialValues, typedValues, type Values, withoutGone } from "./values.ts";

export const COMPOSE = "/compose";
export const SCHEDULED = "/scheduled";

/** The page where users write, answer, quote and edit posts. */
export function composePages(pages: Pages): void {
  pages.userForm(COMPOSE, { show, submit, maxBytes: FORM_BYTES });
  pages.userGet("/@:name/:id/edit", (page) => page.redirect(`${COMPOSE}?edit=${parseId(page.path[1]) ?? ""}`));
}

function show(page: UserPage, problems: FormProblems): Response {
  return composePage(page, page.request.method === "POST" ? typedValues(page) : initialValues(page), problems);
}

/** Every refusal shows the form again with all that was typed, and with the files that were stored until then. */
async function submit(page: UserPage): Promise<Response> {
  const values = typedValues(page);
  const before = publishedBefore(page, values);
  if (before) return page.redirect(addressOf(page, before));
  try {
    const removed = parseId(page.text("remove"));
    if (removed !== null) {
      removeUpload(page, removed);
      values.media = values.media.filter((id) => id !== removed);
    }
    await addUploads(page, values.media);
    if (page.text("do") !== "publish") return composePage(page, values, NO_PROBLEMS);
    // The uploads are stored by now, so only the rest can be repeated after a lock.
    const result = await page.ctx.db.whenWritable(() => publishOrEdit(page, values));
    return page.redirect(addressOf(page, result));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kept, gone } = withoutGone(page, values);
    if (gone.length === 0) return composePage(page, values, composeProblems(page, error, values));
    const texts = page.texts(composeTexts);
    const problem = gone.map((name) => texts.gone[name]).join(" ");
    return composePage(page, kept, { problem, fields: {}, status: 422 });
  }
}

async function publishOrEdit(page: UserPage, values: Values): Promise<PublishResult> {
  if (values.scheduled !== null) return changeLater(page, values.scheduled, values);
  return values.edited === null ? publishPost(page, values) : { statusId: await editPost(page, values.edited, values) };
}

function addressOf({ session }: UserPage, result: PublishResult): string {
  return "statusId" in result ? `/@${session.username}/${result.statusId}` : `${SCHEDULED}?added`;
}

function composePage(page: UserPage, values: Values, problems: FormProblems): Response {
  const texts = page.texts(composeTexts);
  const [parent, quoted] = [values.replyTo, values.quoted].map((id) => visibleOriginalOf(page, id));
  const title = titleOf(page, values, parent, quoted);
  const isEdit = values.edited !== null;
  const isChange = values.scheduled !== null;
  return page.render(
    { title, status: problems.status, wide: true, scripts: [script] },
    <>
      <h1>{title}</h1>
      {parent && <Post page={page} status={{ ...parent, reblog: null }} isPlain isFolded />}
      {quoted && <Post page={page} status={{ ...quoted, reblog: null }} isPlain isFolded />}
      {!isEdit && quoted?.quote_approval.current_user === "denied" && <Alert>{texts.quoteRefused}</Alert>}
      <Form page={page} action={COMPOSE} problems={problems} multipart id="compose">
        <Hidden values={hiddenOf(values)} />
        {/* Enter in a field sends a form with its first button. This one keeps what was typed, and publishes nothing. */}
        <button class="visually-hidden" name="do" value="keep" tabIndex={-1} aria-hidden="true" />
        <TextArea
          name="text"
          label={texts.text}
          value={values.text}
          rows={6}
          lang={values.language || undefined}
          autofocus={Object.keys(problems.fields).length === 0}
          help={<Count page={page} values={values} />}
          error={
            problems.fields["text"] && (
              <>
                {problems.fields["text"]} <Count page={page} values={values} />
              </>
            )
          }
        />
        <Field
          name="spoiler_text"
          label={texts.warning}
          optional={page.messages.optional}
          value={values.spoilerText}
          autocomplete="off"
          isProse
          help={texts.warningHelp}
        />
        <MediaFields page={page} values={values} problems={problems} />
        <div class="triple">
          {!isEdit && (
            <Select
              name="visibility"
              label={texts.visibility}
              value={values.visibility}
              choices={visibilityChoices(page, VISIBILITIES)}
            />
          )}
          <Select
            name="language"
            label={texts.language}
            value={values.language}
            choices={languageChoices(page, isEdit ? texts.keepLanguage : texts.anyLanguage, values.language)}
          />
          <Select name="content_type" label={texts.format} value={values.contentType} choices={formatChoices(page)} />
        </div>
        {!isEdit && (
          <Checkbox name="local_only" label={texts.localOnly} help={texts.localOnlyHelp} checked={values.localOnly} />
        )}
        <Interaction page={page} values={values.interaction} isEdit={isEdit || isChange} />
        <PollFields page={page} values={values} error={problems.fields["poll"]} />
        {!isEdit && <Schedule page={page} values={values} error={problems.fields["scheduled_at"]} />}
        <button class="primary" name="do" value="publish">
          {isEdit || isChange ? texts.saveEdit : texts.publish}
        </button>
      </Form>
      {!isEdit && (
        <p>
          <a href={SCHEDULED}>{texts.scheduled}</a>
        </p>
      )}
    </>,
  );
}

/** The status that a post answers or quotes, as long as its author can see it. */
function visibleOriginalOf({ ctx, session }: UserPage, id: number | null): OriginalJson | undefined {
  if (id === null || visibleAmong(ctx, session.accountId, [id]).length === 0) return undefined;
  const status = showStatus(ctx, session.accountId, id);
  return status.reblog ?? status;
}

function titleOf(page: UserPage, { edited, scheduled }: Values, parent?: OriginalJson, quoted?: OriginalJson): string {
  const texts = page.texts(composeTexts);
  if (edited !== null) return texts.edit;
  if (scheduled !== null) return texts.changeScheduled;
  if (parent) return texts.replyTo(nameOf(parent.account));
  return quoted ? texts.quoteOf(nameOf(quoted.account)) : texts.write;
}

/** An edit keeps its visibility. It is in the form for the new post that becomes of it if the old one is deleted. */
function hiddenOf({ key, replyTo, quoted, edited, scheduled, ...values }: Values): Record<string, string> {
  const ids = { in_reply_to: replyTo, quote: quoted, edit: edited, scheduled };
  const given = Object.entries(ids).filter(([, id]) => id !== null);
  const { visibility, localOnly } = values;
  return {
    key,
    ...Object.fromEntries(given.map(([name, id]) => [name, String(id)])),
    ...(edited !== null && { visibility, local_only: localOnly ? "1" : "" }),
  };
}

/** The number of characters so far. The script of the page keeps it current. */
function Count({ page, values }: { page: UserPage; values: Values }) {
  const texts = page.texts(composeTexts);
  const { locale } = page.messages;
  const { maxCharacters } = page.ctx.config;
  const number = new Intl.NumberFormat(locale);
  return (
    <>
      <span id="count" data-most={maxCharacters} data-typed={page.request.method === "POST" ? "" : undefined}>
        {number.format(countCharacters(values.text, values.spoilerText))}
      </span>{" "}
      {texts.count(number.format(maxCharacters))}
    </>
  );
}
