/** @jsxImportSource preact */
import { ownUploads } from "../../core/media/attachments.ts";
import { MAX_ATTACHMENTS } from "../../core/media/limits.ts";
import type { MediaRow } from "../../core/media/states.ts";
import { showUpload } from "../../entities/statuses/media.ts";
import { Checkbox, FileField, type FormProblems, TextArea } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";
import { FOCUSES, focusOf } from "./uploads.ts";
import type { Values } from "./values.ts";

/** The uploads of a post with what describes them, and a way to add more. */
export function MediaFields({ page, values, problems }: { page: UserPage; values: Values; problems: FormProblems }) {
  const texts = page.texts(composeTexts);
  const error = problems.fields["media"];
  const rows = ownUploads(page.ctx, page.session.accountId, values.media);
  return (
    <fieldset class="field stack">
      <legend>{texts.media}</legend>
      <input type="hidden" name="media" value={rows.map(({ id }) => id).join(",")} />
      {rows.map((row, at) => (
        <Upload page={page} row={row} number={at + 1} error={problems.fields[`description_${row.id}`]} />
      ))}
      {(rows.length < MAX_ATTACHMENTS || error) && (
        <div class="adding">
          <FileField
            name="files[]"
            id="files"
            label={texts.files}
            accept="image/*,video/*,audio/*"
            multiple
            help={texts.filesHelp(MAX_ATTACHMENTS)}
            error={error}
          />
          <button class="small" name="do" value="upload" id="upload">
            {texts.upload}
          </button>
        </div>
      )}
      <Checkbox name="sensitive" label={texts.sensitive} checked={values.sensitive} />
    </fieldset>
  );
}

function Upload(props: { page: UserPage; row: MediaRow; number: number; error: string | undefined }) {
  const { page, row, number, error } = props;
  const texts = page.texts(composeTexts);
  const { preview_url } = showUpload(page.ctx, row);
  const typed = page.params[`description_${row.id}`];
  return (
    <div class="upload">
      {preview_url && <img src={page.local(preview_url)} alt="" width={row.small_width} height={row.small_height} />}
      <div>
        {row.state === "processing" && <p class="help">{texts.isProcessing}</p>}
        <TextArea
          name={`description_${row.id}`}
          label={texts.description(number)}
          value={typeof typed === "string" ? typed : (row.description ?? "")}
          rows={2}
          help={texts.descriptionHelp}
          error={error}
        />
        {row.type !== "audio" && <Focus page={page} row={row} />}
        <button class="small" name="remove" value={row.id} aria-label={texts.removeNumber(number)}>
          {texts.remove}
        </button>
      </div>
    </div>
  );
}

/** Nine positions in a grid, in the shape of the picture. */
function Focus({ page, row }: { page: UserPage; row: MediaRow }) {
  const texts = page.texts(composeTexts);
  const typed = page.text(`focus_${row.id}`);
  const chosen = FOCUSES.includes(typed) ? typed : focusOf(row);
  return (
    <fieldset class="focus">
      <legend>{texts.focus}</legend>
      <div class="positions">
        {FOCUSES.map((value, at) => (
          <label>
            <input type="radio" name={`focus_${row.id}`} value={value} checked={value === chosen} />
            <span class="visually-hidden">{texts.positions[at]}</span>
          </label>
        ))}
      </div>
      <p class="help">{texts.focusHelp}</p>
    </fieldset>
  );
}
