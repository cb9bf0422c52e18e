/** @jsxImportSource preact */
import { requestAddress } from "../lib/http/params.ts";
import { favicon } from "./assets.ts";
import { errorLanguage, inLanguage } from "./i18n/errors.ts";
import { Head } from "./layout.tsx";
import type { Pages } from "./pages.tsx";
import type { Visit } from "./visit.tsx";

/** Responses for unknown paths: a page for browsers, JSON for other clients. */
export function notFoundPages(pages: Pages): void {
  // Browsers request it on their own, regardless of the page.
  pages.get("/favicon.ico", (visit) => visit.redirect(favicon.path));
  pages.get("/*", (visit) => (isForPerson(visit.request) ? notFoundPage(visit) : notFoundForPrograms(visit)));
}

function isForPerson(request: Request): boolean {
  const { pathname } = requestAddress(request.url);
  const isOfApi = /^\/(api|\.well-known|nodeinfo)(\/|$)/.test(pathname);
  return !isOfApi && (request.headers.get("accept") ?? "").includes("text/html");
}

function notFoundForPrograms({ ctx, request }: Visit): Response {
  const language = errorLanguage(ctx, request);
  const headers = { "content-language": language };
  return Response.json({ error: inLanguage("Not found", language) }, { status: 404, headers });
}

export function notFoundPage(visit: Visit): Response {
  const { words } = visit;
  return visit.page(
    { status: 404, title: words.notFoundTitle },
    <>
      <Head title={words.notFoundTitle}>
        <p>{words.notFound}</p>
      </Head>
      <a class="button" href="/">
        {words.toStart}
      </a>
    </>,
  );
}
