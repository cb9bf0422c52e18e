/** @jsxImportSource preact */
import { storageUsage, uploadUsage, type Usage } from "../../../core/server/storage-usage.ts";
import { showAccount } from "../../../entities/accounts.ts";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

/** How much space the user's own media take and, for owners, everything on the server. */
export function storagePages(pages: Pages): void {
  pages.userGet("/settings/storage", storagePage);
}

/** A kind of files, and how much there is of it. */
type Line = [label: string, amount: string];

async function storagePage(page: UserPage): Promise<Response> {
  const { ctx, session, messages } = page;
  const texts = page.texts(accountTexts);
  const uploads = uploadUsage(ctx.db, session.accountId);
  const { statuses_count } = showAccount(ctx, session.accountId);
  const server = session.role === "owner" ? await storageUsage(ctx) : null;
  const own = uploads.map(({ type, files, bytes }): Line => [
    texts.uploads[type],
    `${sizeText(page, bytes)} · ${texts.files(files)}`,
  ]);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).storage },
    <>
      <Lines title={texts.ownStorage} lines={[[texts.ownPosts, messages.posts(statuses_count)], ...own]} />
      {uploads.length === 0 && <p>{texts.noUploads}</p>}
      {server && <Lines title={texts.serverStorage} lines={serverLines(page, server)} />}
    </>,
  );
}

function serverLines(page: UserPage, usages: readonly Usage[]): Line[] {
  const texts = page.texts(accountTexts);
  const sum = (kept: (usage: Usage) => boolean) =>
    usages.reduce((bytes, usage) => bytes + (kept(usage) ? usage.bytes : 0), 0);
  const kinds = [...new Set(usages.flatMap(({ kind }) => kind ?? []))];
  const cached = kinds.map((each): [string, number] => [texts.cached[each], sum(({ kind }) => kind === each)]);
  const lines: [string, number][] = [
    [texts.database, sum(({ area }) => area === "database")],
    [texts.localMedia, sum(({ area }) => area === "local media")],
    ...cached,
  ];
  return lines.map(([label, bytes]) => [label, sizeText(page, bytes)]);
}

function Lines({ title, lines }: { title: string; lines: readonly Line[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="entries">
        {lines.map(([label, amount]) => (
          <li class="entry">
            <span>{label}</span>
            <strong>{amount}</strong>
          </li>
        ))}
      </ul>
    </section>
  );
}

const UNITS = ["kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A number of bytes in the largest unit of which there is at least one, or in kilobytes. */
function sizeText({ messages }: UserPage, bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1000)) / 3), UNITS.length);
  const format = { style: "unit", unit: UNITS[power - 1], maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(messages.locale, format).format(bytes / 1000 ** power);
}
