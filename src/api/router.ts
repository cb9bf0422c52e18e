import type { TObject, TProperties } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import type { LimitName } from "../config.ts";
import type { Context } from "../context.ts";
import { incomingFolder } from "../core/media/receive.ts";
import { Refusal } from "../errors.ts";
import { addRoute, type Incoming } from "../lib/http/elysia.ts";
import { addressKey } from "../lib/http/ip-addresses.ts";
import { withTemporaryFolder } from "../lib/files.ts";
import { decode } from "../lib/http/input.ts";
import type { Description } from "../lib/http/openapi.ts";
import { readParams } from "../lib/http/params.ts";
import { userAgentOf } from "../core/sign-in/user-agents.ts";
import type { Rate } from "../lib/rates.ts";
import { bearerToken, findBearer, invalidToken, requireScope, requireEnabled, requireViewer } from "../oauth/guard.ts";
import type { Bearer } from "../oauth/guard.ts";
import type { Call, DescribedRoute, Route, RouteOptions } from "./route.ts";

/** Limits that are counted per address, even with a user's token. */
const PER_ADDRESS: ReadonlySet<LimitName> = new Set(["registrations"]);

const MEBIBYTE = 1024 * 1024;

/** Adds routes to the app: each checks the token, counts the request, reads the parameters and responds in JSON. */
export class Router {
  private readonly described: DescribedRoute[] = [];
  private currentArea = "";
  private description: Promise<Description> | null = null;

  constructor(
    private readonly app: AnyElysia,
    readonly ctx: Context,
  ) {}

  get<const O extends Route>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["GET"], path, options, handler);
  }

  post<const O extends Route>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["POST"], path, options, handler);
  }

  delete<const O extends Route>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["DELETE"], path, options, handler);
  }

  /** Accepts PUT and PATCH: clients send either, regardless of the documentation. */
  update<const O extends Route>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["PUT", "PATCH"], path, options, handler);
  }

  /** Adds the routes of some files, which the description lists in one area. */
  area(name: string, ...files: readonly ((routes: Router) => void)[]): this {
    this.currentArea = name;
    for (const addRoutes of files) addRoutes(this);
    return this;
  }

  /** Describes a route that another router serves. */
  describeOnly(method: string, path: string, route: Route): this {
    this.described.push({ method, path, area: this.currentArea, route });
    return this;
  }

  /** The OpenAPI description of all routes. Its generator is loaded on first use. */
  describe(): Promise<Description> {
    this.description ??= import("./description.ts").then(({ describe }) => describe(this.described, this.ctx.config));
    return this.description;
  }

  private route<O extends Route>(
    methods: string[],
    path: string,
    options: O,
    handler: (call: Call<O>) => unknown,
  ): this {
    for (const method of methods) {
      this.describeOnly(method, path, options);
      addRoute(this.app, method, path, (incoming) => this.answer(incoming, options, handler));
    }
    return this;
  }

  private async answer<O extends RouteOptions>(
    { request, params, set, clientAddress, server }: Incoming,
    options: O,
    handler: (call: Call<O>) => unknown,
  ): Promise<Response> {
    const counted: Rate[] = [];
    const address = addressKey(clientAddress);
    const count = (limit: LimitName, caller: string) => this.count(counted, limit, caller, set.headers);
    // Counted before the token is checked, so that guessing tokens is limited too.
    if (options.limit !== false) count("address", address);
    const bearer = this.bearer(request, options, clientAddress);
    const caller = bearer?.viewer ? `account ${bearer.viewer.accountId}` : address;
    if (bearer?.viewer) {
      this.ctx.requestLog.identify(request, bearer.viewer.userId);
      count("account", caller);
    }
    if (options.limit) count(options.limit, PER_ADDRESS.has(options.limit) ? address : caller);
    const handle = async (folder?: string) => {
      const call = {
        ctx: this.ctx,
        viewer: bearer?.viewer ?? null,
        viewerId: bearer?.viewer?.accountId ?? 0,
        bearer,
        input: await readInput(request, options, folder),
        params,
        request,
        address: clientAddress,
        server,
      } as Call<O>;
      return this.ctx.db.whenWritable(() => handler(call));
    };
    const result = options.storeFiles ? await withTemporaryFolder(incomingFolder(this.ctx), handle) : await handle();
    return result instanceof Response ? result : Response.json(result ?? {});
  }

  private bearer(request: Request, options: RouteOptions, address: string): Bearer | null {
    // Some apps send a placeholder before they have a token.
    if (options.open === "always") return null;
    const token = bearerToken(request.headers.get("authorization")) ?? options.token?.(request) ?? null;
    if (token === null) {
      this.requireToken(options);
      return null;
    }
    const bearer = findBearer(this.ctx, token, { address, userAgent: userAgentOf(request) });
    // Streaming checks this itself, because it responds with 401 (`listenerOf`).
    if (!options.token) requireEnabled(bearer);
    if (options.scope) requireScope(bearer, typeof options.scope === "string" ? [options.scope] : options.scope);
    if (!options.open && !options.app) requireViewer(bearer);
    if (!bearer.viewer && this.needsSignIn(options)) throw authenticationRequired();
    return bearer;
  }

  private requireToken(options: RouteOptions): void {
    if (this.needsSignIn(options)) throw authenticationRequired();
    const isOpen = options.open === "preview" ? this.ctx.config.publicPreview : options.open;
    if (!isOpen) throw invalidToken();
  }

  /** Whether limited federation closes this otherwise open route to anonymous requests. */
  private needsSignIn({ open }: RouteOptions): boolean {
    return this.ctx.config.limitedFederation && open !== undefined && open !== "always";
  }

  /** Counts the request against one more limit; the headers report the limit closest to exhaustion. */
  private count(counted: Rate[], limit: LimitName, caller: string, headers: Record<string, string | number>): void {
    const { rates, clock } = this.ctx;
    if (!rates) return;
    counted.push(rates[limit].take(caller, clock.now()));
    const closest = counted.reduce((a, b) => (b.remaining < a.remaining || b.exceeded ? b : a));
    headers["x-ratelimit-limit"] = closest.limit;
    headers["x-ratelimit-remaining"] = closest.remaining;
    headers["x-ratelimit-reset"] = new Date(closest.reset).toISOString();
    if (closest.exceeded) throw new Refusal("too_many", "Too many requests");
  }
}

function authenticationRequired(): Refusal {
  return new Refusal("unauthorized", "This API requires an authenticated user");
}

async function readInput(request: Request, options: RouteOptions, folder?: string): Promise<object> {
  if (!options.input) return {};
  const params = await readParams(request, options.maxBytes ?? MEBIBYTE, folder);
  return decode(options.input as TObject<TProperties>, params);
}
