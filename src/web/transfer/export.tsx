/** @jsxImportSource preact */
import { exportCounts, exportCsv } from "../../core/transfer/csv-export.ts";
import { CSV_KINDS, FORMATS } from "../../core/transfer/csv-kinds.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "../settings/settings.tsx";
import { transferTexts } from "./texts.ts";

const PATH = "/settings/export";

/** The page where users download their lists. */
export function exportPages(pages: Pages): void {
  const isSensitive = true;
  pages.userGet(PATH, show, { isSensitive });
  for (const kind of CSV_KINDS) {
    pages.userGet(
      `${PATH}/${FORMATS[kind].fileName}`,
      async (page) => page.download(await exportCsv(page.ctx, page.session.accountId, kind)),
      { isSensitive },
    );
  }
}

function show(page: UserPage): Response {
  const { ctx, messages, session } = page;
  const texts = page.texts(transferTexts);
  const counts = exportCounts(ctx.db, session.accountId);
  return settingsPage(
    page,
    { title: texts.export },
    <>
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
    </>,
  );
}
