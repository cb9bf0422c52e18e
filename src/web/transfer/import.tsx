/** @jsxImportSource preact */
import { MAX_BYTES, MAX_ROWS } from "../../core/transfer/csv-file.ts";
import { csvImport, failuresOf, importCsv } from "../../core/transfer/csv-import.ts";
import { CSV_KINDS, FORMATS } from "../../core/transfer/csv-kinds.ts";
import { cancelImport, type ImportRow, importsOf, ownImport } from "../../core/transfer/imports.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { inLanguage } from "../i18n/error-messages.ts";
import { dayOf } from "../page/dates.tsx";
import { ActionButton, FileField, Form, type FormProblems, problemsAt, Radios, Select } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "../settings/settings.tsx";
import { ArchiveImport, archiveImport } from "./archives.tsx";
import { transferTexts } from "./texts.ts";

const PATH = "/settings/import";
/** Of the request: a file that is several times too large still gets a sentence beside the form. */
const MAX_UPLOAD = 10 * MAX_BYTES;

/** The page where users import lists from other servers, and see how far an import is. */
export function importPages(pages: Pages): void {
  const showTooLarge = (page: UserPage) =>
    show(page, { fields: { file: page.texts(transferTexts).maybeArchive }, status: 413 });
  pages.userForm(PATH, { show, submit, maxBytes: MAX_UPLOAD, showTooLarge });
  archiveImport(pages, show, `${PATH}#imports`);
  pages.userPost(`${PATH}/cancel`, {
    show,
    submit: async (page) => {
      await cancelImport(page.ctx, page.session.accountId, parseId(page.text("id")));
      return page.redirect(`${PATH}#imports`);
    },
  });
  pages.userGet(`${PATH}/:id/failures.csv`, failures);
}

async function submit(page: UserPage): Promise<Response> {
  const file = page.file("file");
  if (!file) return show(page, { fields: { file: page.texts(transferTexts).chooseFile }, status: 422 });
  try {
    // One byte more than allowed is enough to refuse it.
    const upload = { name: file.name, bytes: await file.slice(0, MAX_BYTES + 1).bytes() };
    if (isArchive(upload.bytes)) {
      return show(page, { fields: { file: page.texts(transferTexts).isArchive }, status: 422 });
    }
    await importCsv(page.ctx, upload, {
      accountId: page.session.accountId,
      kind: CSV_KINDS.find((kind) => kind === page.text("kind")) ?? null,
      mode: page.text("mode") === "replace" ? "replace" : "merge",
    });
    return page.redirect(`${PATH}#imports`);
  } catch (error) {
    return show(page, problemsAt(page, error, "file"));
  }
}

/** Whether a file is a .zip or .tar.gz file, by its first bytes. */
function isArchive([first, second]: Uint8Array): boolean {
  return (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
}

/** The failed rows of an import, with the reasons in the user's language. */
async function failures(page: UserPage): Promise<Response> {
  const { ctx, messages, session } = page;
  const { id } = ownImport(ctx.db, session.accountId, parseId(page.path[2] ?? ""));
  const csv = csvImport(ctx.db, id);
  if (csv === null) throw notFound();
  const text = await failuresOf(ctx.db, csv, (reason) => inLanguage(reason, messages.language));
  const name = FORMATS[csv.kind].fileName.replace(/\.\w+$/, "_failures.csv");
  return page.download({ name, type: "text/csv; charset=utf-8", body: text });
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(transferTexts);
  const { locale } = page.messages;
  return settingsPage(
    page,
    { title: texts.import, status: problems.status },
    <>
      <p>{texts.importHelp}</p>
      <Form page={page} action={PATH} problems={problems} multipart>
        <FileField
          name="file"
          label={texts.file}
          help={texts.fileHelp(MAX_ROWS.toLocaleString(locale), MAX_BYTES / 1_000_000)}
          error={problems.fields["file"] && <FileProblem page={page} problem={problems.fields["file"]} />}
          accept=".csv,.txt,.json,text/csv,text/plain,application/json"
        />
        <Select
          name="kind"
          label={texts.kind}
          help={texts.kindHelp}
          value={page.text("kind")}
          choices={[
            { value: "", label: texts.detect },
            ...CSV_KINDS.map((kind) => ({ value: kind, label: texts.kinds[kind] })),
          ]}
        />
        <Radios
          name="mode"
          label={texts.mode}
          value={page.text("mode") || "merge"}
          choices={[
            { value: "merge", label: texts.merge },
            { value: "replace", label: texts.replace, help: texts.replaceHelp },
          ]}
        />
        <button class="primary">{texts.startImport}</button>
      </Form>
      <ArchiveImport page={page} problems={problems} />
      <Imports page={page} />
    </>,
  );
}

/** The problem with a file; if it may be an archive, with a link to the form for these. */
function FileProblem({ page, problem }: { page: UserPage; problem: string }) {
  const texts = page.texts(transferTexts);
  const isForOtherForm = problem === texts.isArchive || problem === texts.maybeArchive;
  return (
    <>
      {problem} {isForOtherForm && <a href="#archive">{texts.archiveImport}</a>}
    </>
  );
}

/** All imports of the last weeks: also those of archives. */
function Imports({ page }: { page: UserPage }) {
  const texts = page.texts(transferTexts);
  const imports = importsOf(page.ctx.db, page.session.accountId);
  const isRunning = imports.some(({ state }) => state === "running");
  return (
    <section id="imports">
      <h2>{texts.imports}</h2>
      {imports.length === 0 && <p class="help">{texts.noImports}</p>}
      <ul class="entries">
        {imports.map((row) => (
          <Import page={page} row={row} />
        ))}
      </ul>
      {isRunning && (
        <a class="button small" href={`${PATH}#imports`}>
          {texts.reload}
        </a>
      )}
    </section>
  );
}

function Import({ page, row }: { page: UserPage; row: ImportRow }) {
  const { messages } = page;
  const texts = page.texts(transferTexts);
  const { id, kind, mode, state, total, done, failed, error, for_followers: forFollowers } = row;
  const shown = (count: number) => count.toLocaleString(messages.locale);
  const notes = [texts.states[state], ...(mode === "replace" ? [texts.replaced] : [])].join(", ");
  return (
    <li>
      <div class="entry">
        <div>
          <strong>{texts.kinds[kind]}</strong> <span class="help">({notes})</span>
          <p class="help">{texts.startedOn(dayOf(page, row.created_at), row.file_name)}</p>
        </div>
        {state === "running" && (
          <ActionButton
            page={page}
            action={`${PATH}/cancel`}
            values={{ id: String(id) }}
            label={texts.cancelNamed(texts.kinds[kind])}
          >
            {texts.cancel}
          </ActionButton>
        )}
      </div>
      {error !== null && <p class="error">{inLanguage(error, messages.language)}</p>}
      <p>
        {total !== null && texts.progress(shown(done), shown(total))}
        {failed > 0 && ` · ${texts.failedRows(failed, shown(failed))}`}
      </p>
      {forFollowers === 1 && <p class="help">{texts.areForFollowers}</p>}
      {state === "running" && total !== null && (
        <progress max={total} value={done + failed} aria-label={texts.kinds[kind]} />
      )}
      {failed > 0 && kind !== "archive" && (
        <p>
          <a href={`${PATH}/${id}/failures.csv`}>{texts.failures}</a>
        </p>
      )}
    </li>
  );
}
