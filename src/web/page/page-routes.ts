import type { AnyElysia } from "elysia";
import type { Context } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import { addRoute, type Incoming } from "../../lib/http/elysia.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { parseQuery, readParams, searchOf, type Params } from "../../lib/http/params.ts";
import { notFoundPage, refusalPage, tooManyPage } from "./error-pages.tsx";
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
    if (rate?.exceeded) return tooManyPage(new PageRequest(ctx, request, clientAddress, {}), rate);
    try {
      const params = await read(request);
      return await ctx.db.whenWritable(() => handler(new PageRequest(ctx, request, clientAddress, params)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const page = new PageRequest(ctx, request, clientAddress, {});
      if (error.kind === "not_found") return notFoundPage(page);
      const response = refusalPage(page, error);
      if (response.status >= 500) ctx.requestLog.end(request, response.status, error.message);
      return response;
    }
  }
}
