import { requestAddress } from "../lib/http/params.ts";
import { notFoundPage } from "./page/error-pages.tsx";
import { errorLanguage, inLanguage } from "./i18n/error-messages.ts";
import type { Pages } from "./page/page-routes.ts";
import type { PageRequest } from "./page/page-request.tsx";

/** Responses for unknown paths: a page for browsers, JSON for other clients. */
export function notFoundPages(pages: Pages): void {
  pages.get("/*", (page) => (isForBrowser(page.request) ? notFoundPage(page) : notFoundJson(page)));
}

function isForBrowser(request: Request): boolean {
  const { pathname } = requestAddress(request.url);
  const isOfApi = /^\/(api|\.well-known|nodeinfo)(\/|$)/.test(pathname);
  return !isOfApi && (request.headers.get("accept") ?? "").includes("text/html");
}

function notFoundJson({ ctx, request }: PageRequest): Response {
  const language = errorLanguage(ctx, request);
  const headers = { "content-language": language };
  return Response.json({ error: inLanguage("Not found", language) }, { status: 404, headers });
}
