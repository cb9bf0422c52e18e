/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { localUrl, parseAddress } from "../../core/addresses.ts";
import { isDeleted } from "../../core/tombstones.ts";
import { DatabaseLockedRefusal, type Refusal } from "../../errors.ts";
import { requestAddress } from "../../lib/http/params.ts";
import type { Rate } from "../../lib/rates.ts";
import { onPage } from "../i18n/error-messages.ts";
import { Head } from "./layout.tsx";
import type { PageRequest } from "./page-request.tsx";

/** The page for an address where nothing is. It responds with 410 if a local account or post there was deleted. */
export function notFoundPage(page: PageRequest): Response {
  const { messages } = page;
  return page.render(
    { status: isOfDeleted(page) ? 410 : 404, title: messages.notFoundTitle },
    <>
      <Head title={messages.notFoundTitle}>
        <p>{messages.notFound}</p>
      </Head>
      <a class="button" href="/">
        {messages.toStartPage}
      </a>
    </>,
  );
}

function isOfDeleted({ ctx, request }: PageRequest): boolean {
  const path = requestAddress(request.url).pathname.replace(/\/activity$/, "");
  const name = parseAddress(ctx, localUrl(ctx, path));
  return name !== null && isDeleted(ctx, name);
}

/** The page for a refused request, except for `not_found`. */
export function refusalPage(page: PageRequest, refusal: Refusal): Response {
  const { status, headers } = responseFor(refusal);
  return errorPage(page, { status, headers }, <p>{onPage(refusal.message, page.messages.language)}</p>);
}

function responseFor(refusal: Refusal): { status: number; headers?: Record<string, string> } {
  if (refusal instanceof DatabaseLockedRefusal) {
    return { status: 503, headers: { "retry-after": String(refusal.retryAfter) } };
  }
  return { status: refusal.kind === "too_large" ? 413 : 400 };
}

/** The page for a visitor whose network sends too many requests. */
export function tooManyPage(page: PageRequest, rate: Rate): Response {
  const { minutes, headers } = waitFor(page, rate);
  return errorPage(page, { status: 429, headers }, <p role="alert">{page.messages.tooManyRequests(minutes)}</p>);
}

/** The minutes until a rate limit ends, and the Retry-After header for it. */
export function waitFor(page: PageRequest, rate: Rate): { minutes: number; headers: Record<string, string> } {
  const milliseconds = Math.max(rate.reset - page.ctx.clock.now(), 0);
  const headers = { "retry-after": String(Math.ceil(milliseconds / 1000)) };
  return { minutes: Math.max(1, Math.ceil(milliseconds / 60_000)), headers };
}

function errorPage(
  page: PageRequest,
  response: { status: number; headers?: Record<string, string> },
  explanation: ComponentChildren,
): Response {
  const { errorTitle: title } = page.messages;
  return page.render({ ...response, title }, <Head title={title}>{explanation}</Head>);
}
