/** @jsxImportSource preact */
import { exportCounts, exportCsv } from "../../core/transfer/csv-export.ts";
import { CSV_KINDS, FORMATS } from "../../core/transfer/csv-kinds.ts";
import { type FormProblems, NO_PROBLEMS } from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "../settings/settings.tsx";
import { ArchiveExport, archiveExport } from "./archives.tsx";
import { transferTexts } from "./texts.ts";

const PATH = "/settings/export";

/** The page where users download their lists. */
export function exportPages(pages: Pages): void {
  const isSensitive = true;
  pages.userGet(PATH, (page) => show(page, NO_PROBLEMS), { isSensitive });
  for (const kind of CSV_KINDS) {
    const download = async (page: UserPage) => {
      const { text, ...file } = await exportCsv(page.ctx, page.session.accountId, kind);
      return page.download({ ...file, body: text });
    };
    pages.userGet(`${PATH}/${FORMATS[kind].fileName}`, download, { isSensitive });
  }
  archiveExport(pages, show);
}

function show(page: UserPage, problems: FormProblems): Response {
  const { ctx, messages, session } = page;
  const texts = page.texts(transferTexts);
  const counts = exportCounts(ctx.db, session.accountId);
  return settingsPage(
    page,
    { title: texts.export, status: problems.status },
    <>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <p>{texts.exportHelp}</p>
      <ul class="entries">
        {CSV_KINDS.map((kind) => (
          <li class="entry">
            <div>
              <strong>{texts.kinds[kind]}</strong>
              <p class="help">{texts.rows(counts[kind], counts[kind].toLocaleString(messages.locale))}</p>
            </div>
            <a
              class="button small"
              href={`${PATH}/${FORMATS[kind].fileName}`}
              aria-label={texts.downloadNamed(texts.kinds[kind])}
            >
              {texts.download}
            </a>
          </li>
        ))}
      </ul>
      <ArchiveExport page={page} />
    </>,
  );
}
