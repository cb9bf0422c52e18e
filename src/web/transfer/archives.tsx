/** @jsxImportSource preact */
import { Readable } from "node:stream";
import { importUploadedArchive, UPLOADED_ARCHIVE_BYTES } from "../../core/transfer/archive-imports.ts";
import { exportArchive } from "../../federation/archives/export.ts";
import { StoredFile } from "../../lib/files.ts";
import { ActionButton, Checkbox, FileField, Form, type FormProblems, problemsAt } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { transferTexts } from "./texts.ts";

type Show = (page: UserPage, problems: FormProblems) => Response;

const IMPORT_PATH = "/settings/import/archive";
const EXPORT_PATH = "/settings/export/archive";
/** The other fields of the form. */
const FIELDS = 64 * 1024;

/** Adds what the form for an uploaded archive does. `showImports` shows the page with the form. */
export function archiveImport(pages: Pages, showImports: Show, afterwards: string): void {
  pages.userPost(IMPORT_PATH, {
    maxBytes: UPLOADED_ARCHIVE_BYTES + FIELDS,
    show: showImports,
    showTooLarge: (page) =>
      showImports(page, { fields: { archive: page.texts(transferTexts).archiveTooLarge }, status: 413 }),
    submit: async (page) => {
      const file = page.file("archive");
      const problem = page.texts(transferTexts).chooseFile;
      if (!(file instanceof StoredFile)) return showImports(page, { fields: { archive: problem }, status: 422 });
      try {
        await importUploadedArchive(page.ctx, page.session.accountId, file, {
          withProfile: page.isChecked("profile"),
          forFollowers: page.isChecked("for_followers"),
        });
        return page.redirect(afterwards);
      } catch (error) {
        return showImports(page, problemsAt(page, error, "archive"));
      }
    },
  });
}

export function ArchiveImport({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const texts = page.texts(transferTexts);
  return (
    <section id="archive">
      <h2>{texts.archiveImport}</h2>
      <p>{texts.archiveImportHelp}</p>
      <Form page={page} action={IMPORT_PATH} multipart>
        <FileField
          name="archive"
          label={texts.archiveFile}
          help={texts.archiveFileHelp(UPLOADED_ARCHIVE_BYTES / 1024 ** 3, `linnet import archive`)}
          error={problems.fields["archive"]}
          accept=".zip,.gz,.tgz,.json,application/zip,application/gzip,application/json"
        />
        <Checkbox
          name="profile"
          label={texts.withProfile}
          help={texts.withProfileHelp}
          checked={page.isChecked("profile")}
        />
        <Checkbox
          name="for_followers"
          label={texts.forFollowers}
          help={texts.forFollowersHelp}
          checked={page.isChecked("for_followers")}
        />
        <button class="primary">{texts.startArchive}</button>
      </Form>
    </section>
  );
}

/** Adds the download of an archive. It is a form, so that no other site can have a large archive written. */
export function archiveExport(pages: Pages, showExports: Show): void {
  pages.userPost(EXPORT_PATH, {
    show: showExports,
    isSensitive: true,
    submit: async (page) => {
      const bytes = await exportArchive(page.ctx, page.session.accountId);
      const body = Readable.toWeb(bytes) as unknown as ReadableStream<Uint8Array>;
      return page.download({ name: `${page.session.username}.zip`, type: "application/zip", body });
    },
  });
}

export function ArchiveExport({ page }: { page: UserPage }) {
  const texts = page.texts(transferTexts);
  return (
    <section id="archive">
      <h2>{texts.archiveExport}</h2>
      <p>{texts.archiveExportHelp}</p>
      <ActionButton page={page} action={EXPORT_PATH} class="primary">
        {texts.downloadArchive}
      </ActionButton>
    </section>
  );
}
