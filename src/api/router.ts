import type { Static, TObject, TProperties } from "@sinclair/typebox";
import type { Server } from "bun";
import type { AnyElysia } from "elysia";
import type { LimitName } from "../config.ts";
import type { Context } from "../context.ts";
import { incomingFolder } from "../core/media/media-files.ts";
import { Refusal } from "../errors.ts";
import { addressKey } from "../lib/http/addresses.ts";
import { withTemporaryFolder } from "../lib/files.ts";
import { decode } from "../lib/http/input.ts";
import type { Description } from "../lib/http/openapi.ts";
import { readParams } from "../lib/http/params.ts";
import type { Rate } from "../lib/rates.ts";
import { bearerToken, findBearer, invalidToken, requireScope, requireStanding, requireViewer } from "../oauth/guard.ts";
import type { Bearer, Viewer } from "../oauth/guard.ts";
import type { Scope } from "../oauth/scopes.ts";

/** Who may call a route, and what it understands. */
export interface RouteOptions {
  /** A person's token with one of these scopes is needed. */
  scope?: Scope | readonly Scope[];
  /**
   * Strangers are welcome; a token that is sent must be valid and have the scope all the same. The owner may keep them
   * out of everything (LINNET_LIMITED_FEDERATION) but what is `always` open, since nobody could come in without, and out
   * of what is a `preview` of the public timelines (LINNET_PUBLIC_PREVIEW). What is `always` open looks at no token.
   */
  open?: true | "always" | "preview";
  /** An app's own token is enough. */
  app?: true;
  /** Where a token may be besides the Authorization header. */
  token?: (request: Request) => string | null;
  /** The parameters, from wherever they come: query, form, multipart or JSON. */
  input?: TObject;
  /** Counted by a limit of its own besides those for everything; false for none at all. */
  limit?: LimitName | false;
  /** How large a body may be, in bytes. */
  maxBytes?: number;
  /** Files of a form may be large: they lie on the disk until the answer is given, each as a StoredFile. */
  storeFiles?: true;
}

type InputOf<O extends RouteOptions> = O["input"] extends TObject ? Static<O["input"]> : Record<string, never>;
type IsOpen<O extends RouteOptions> = O["open"] extends NonNullable<RouteOptions["open"]> ? true : false;
type ViewerOf<O extends RouteOptions> = IsOpen<O> extends true ? Viewer | null : O["app"] extends true ? null : Viewer;

/** One request as a handler sees it. */
export interface Call<O extends RouteOptions = RouteOptions> {
  ctx: Context;
  viewer: ViewerOf<O>;
  /** The viewer's account; 0, which no account has, for nobody. */
  viewerId: number;
  bearer: IsOpen<O> extends true ? Bearer | null : Bearer;
  input: InputOf<O>;
  params: Record<string, string>;
  request: Request;
  address: string;
  /** For what outlives a request: streams and WebSockets. */
  server: Server<unknown>;
}

/** What Elysia hands to a handler, as far as we use it. */
interface Incoming {
  request: Request;
  params: Record<string, string>;
  set: { headers: Record<string, string | number> };
  clientAddress: string;
  server: Server<unknown>;
}

/** Counted by where a call comes from, whoever makes it. */
const PER_ADDRESS: ReadonlySet<LimitName> = new Set(["registrations"]);

const MEBIBYTE = 1024 * 1024;

/** Puts routes on the app: each checks the caller, counts the call, reads the parameters and answers in JSON. */
export class Router {
  private readonly options = new Map<string, RouteOptions>();
  private description: Promise<Description> | null = null;

  constructor(
    private readonly app: AnyElysia,
    readonly ctx: Context,
  ) {}

  get<const O extends RouteOptions>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["GET"], path, options, handler);
  }

  post<const O extends RouteOptions>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["POST"], path, options, handler);
  }

  delete<const O extends RouteOptions>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["DELETE"], path, options, handler);
  }

  /** PUT and PATCH alike: clients send either, whatever the documentation says. */
  update<const O extends RouteOptions>(path: string, options: O, handler: (call: Call<O>) => unknown): this {
    return this.route(["PUT", "PATCH"], path, options, handler);
  }

  /** Everything there is to call. What makes it is loaded only when somebody asks. */
  describe(): Promise<Description> {
    this.description ??= import("./description.ts").then(({ describe }) =>
      describe(
        this.app.routes.map(({ method, path }) => ({
          method,
          path,
          options: this.options.get(`${method} ${path}`) ?? null,
        })),
        this.ctx.config,
      ),
    );
    return this.description;
  }

  private route<O extends RouteOptions>(
    methods: string[],
    path: string,
    options: O,
    handler: (call: Call<O>) => unknown,
  ): this {
    const answer = (incoming: Incoming) => this.answer(incoming, options, handler);
    for (const method of methods) {
      this.options.set(`${method} ${path}`, options);
      // The destructuring is read by Elysia, which hands over only what it finds named here.
      this.app.route(
        method,
        path,
        (({ request, params, set, clientAddress, server }: Incoming) =>
          answer({ request, params, set, clientAddress, server })) as never,
        { parse: "none" },
      );
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
    // Before the token is looked at, so that guessing tokens counts too.
    if (options.limit !== false) count("address", address);
    const bearer = this.bearer(request, options);
    const caller = bearer?.viewer ? `account ${bearer.viewer.accountId}` : address;
    if (bearer?.viewer) {
      this.ctx.requests.identify(request, bearer.viewer.userId);
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

  private bearer(request: Request, options: RouteOptions): Bearer | null {
    // Some apps ask with what is no token yet.
    if (options.open === "always") return null;
    const token = bearerToken(request.headers.get("authorization")) ?? options.token?.(request) ?? null;
    if (token === null) {
      this.refuseStrangers(options);
      return null;
    }
    const bearer = findBearer(this.ctx, token);
    // Streams answer in a way of their own.
    if (!options.token) requireStanding(bearer);
    if (options.scope) requireScope(bearer, typeof options.scope === "string" ? [options.scope] : options.scope);
    if (!options.open && !options.app) requireViewer(bearer);
    if (!bearer.viewer && this.isForMembers(options)) throw membersOnly();
    return bearer;
  }

  private refuseStrangers(options: RouteOptions): void {
    if (this.isForMembers(options)) throw membersOnly();
    const isOpen = options.open === "preview" ? this.ctx.config.publicPreview : options.open;
    if (!isOpen) throw invalidToken();
  }

  /** What strangers could read, and may not on this server. */
  private isForMembers({ open }: RouteOptions): boolean {
    return this.ctx.config.limitedFederation && open !== undefined && open !== "always";
  }

  /** Counts the call under one limit more, and speaks of the one closest to its end. */
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

function membersOnly(): Refusal {
  return new Refusal("unauthorized", "This API requires an authenticated user");
}

async function readInput(request: Request, options: RouteOptions, folder?: string): Promise<object> {
  if (!options.input) return {};
  const params = await readParams(request, options.maxBytes ?? MEBIBYTE, folder);
  return decode(options.input as TObject<TProperties>, params);
}
