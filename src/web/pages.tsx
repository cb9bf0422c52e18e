/** @jsxImportSource preact */
import type { AnyElysia } from "elysia";
import type { Context } from "../context.ts";
import { DatabaseLockedRefusal, Refusal } from "../errors.ts";
import { addRoute, type Incoming } from "../lib/http/elysia.ts";
import { addressKey } from "../lib/http/ip-addresses.ts";
import { parseQuery, readParams, searchOf, type Params } from "../lib/http/params.ts";
import type { Rate } from "../lib/rates.ts";
import { inLanguage } from "./i18n/error-messages.ts";
import { Head } from "./layout.tsx";
import { notFoundPage } from "./not-found.tsx";
import { PageRequest } from "./page-request.tsx";

type Handler = (page: PageRequest) => Response | Promise<Response>;

/** More than any form of the pages needs. */
const MAX_BYTES = 64 * 1024;

/** Adds pages to the app: each request is counted, its parameters are read, and a refusal is shown on a page. */
export class Pages {
  constructor(
    readonly app: AnyElysia,
    readonly ctx: Context,
  ) {}

  get(path: string, handler: Handler): void {
    this.route("GET", path, handler, (request) => parseQuery(searchOf(request.url)));
  }

  post(path: string, handler: Handler): void {
    this.route("POST", path, handler, (request) => readParams(request, MAX_BYTES));
  }

  private route(
    method: string,
    path: string,
    handler: Handler,
    read: (request: Request) => Params | Promise<Params>,
  ): void {
    addRoute(this.app, method, path, (incoming) => this.answer(incoming, handler, read));
  }

  private async answer(
    { request, clientAddress }: Incoming,
    handler: Handler,
    read: (request: Request) => Params | Promise<Params>,
  ): Promise<Response> {
    const { ctx } = this;
    const rate = ctx.rates?.pages.take(addressKey(clientAddress), ctx.clock.now());
    if (rate?.exceeded) return tooMany(new PageRequest(ctx, request, clientAddress, {}), rate);
    try {
      const params = await read(request);
      return await ctx.db.whenWritable(() => handler(new PageRequest(ctx, request, clientAddress, params)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const page = new PageRequest(ctx, request, clientAddress, {});
      if (error.kind === "not_found") return notFoundPage(page);
      const { badRequestTitle: title } = page.messages;
      const { status, headers } = refusedWith(error);
      if (status >= 500) ctx.requestLog.end(request, status, error.message);
      return page.render(
        { status, headers, title },
        <Head title={title}>
          <p>{inLanguage(error.message, page.messages.language)}</p>
        </Head>,
      );
    }
  }
}

function refusedWith(error: Refusal): { status: number; headers?: Record<string, string> } {
  if (error instanceof DatabaseLockedRefusal) {
    return { status: 503, headers: { "retry-after": String(error.retryAfter) } };
  }
  return { status: error.kind === "too_large" ? 413 : 400 };
}

/** The minutes until a rate limit ends, and the Retry-After header for it. */
export function waitFor(page: PageRequest, rate: Rate): { minutes: number; headers: Record<string, string> } {
  const milliseconds = Math.max(rate.reset - page.ctx.clock.now(), 0);
  const headers = { "retry-after": String(Math.ceil(milliseconds / 1000)) };
  return { minutes: Math.max(1, Math.ceil(milliseconds / 60_000)), headers };
}

function tooMany(page: PageRequest, rate: Rate): Response {
  const { badRequestTitle: title } = page.messages;
  const { minutes, headers } = waitFor(page, rate);
  return page.render(
    { status: 429, title, headers },
    <Head title={title}>
      <p role="alert">{page.messages.tooManyCalls(minutes)}</p>
    </Head>,
  );
}
