import type { Static, TObject } from "@sinclair/typebox";
import type { Server } from "bun";
import type { LimitName } from "../config.ts";
import type { Context } from "../context.ts";
import type { Bearer, Viewer } from "../oauth/guard.ts";
import type { Scope } from "../oauth/scopes.ts";

/** The access rules, limits and parameters of a route. */
export interface RouteOptions {
  /** Requires a user's token with one of these scopes. */
  scope?: Scope | readonly Scope[];
  /**
   * Needs no token; one that is sent must still be valid and have the scope. The owner can require a token for all of
   * these routes (LINNET_LIMITED_FEDERATION) except `always`, which signing in needs, and for `preview`, the public
   * timelines (LINNET_PUBLIC_PREVIEW). `always` ignores tokens.
   */
  open?: true | "always" | "preview";
  /** An app token, which has no user, is enough. */
  app?: true;
  /** Reads the token from another place when there is no Authorization header. */
  token?: (request: Request) => string | null;
  /** The parameters, sent as a query, form, multipart or JSON. */
  input?: TObject;
  /** A rate limit in addition to the general ones; false to count no requests per address. */
  limit?: LimitName | false;
  /** Maximum size of the body in bytes; 1 MiB by default. */
  maxBytes?: number;
  /** Files of a form may be large: each is a StoredFile on disk, deleted when the handler is done. */
  storeFiles?: true;
}

/** A route as it is declared. */
export interface Route extends RouteOptions {
  /** Describes the method in one line without a full stop, for `/api` and the OpenAPI document. */
  summary: string;
}

/** A route in the description of the API. */
export interface DescribedRoute {
  method: string;
  path: string;
  /** The group of methods that it belongs to. */
  area: string;
  route: Route;
}

type InputOf<O extends RouteOptions> = O["input"] extends TObject ? Static<O["input"]> : Record<string, never>;
type IsOpen<O extends RouteOptions> = O["open"] extends NonNullable<RouteOptions["open"]> ? true : false;
type ViewerOf<O extends RouteOptions> = IsOpen<O> extends true ? Viewer | null : O["app"] extends true ? null : Viewer;

/** One request as a handler sees it. */
export interface Call<O extends RouteOptions = RouteOptions> {
  ctx: Context;
  viewer: ViewerOf<O>;
  /** The viewer's account id; 0, which no account has, without a viewer. */
  viewerId: number;
  bearer: IsOpen<O> extends true ? Bearer | null : Bearer;
  input: InputOf<O>;
  params: Record<string, string>;
  request: Request;
  address: string;
  /** For streams and WebSockets, which outlive the request. */
  server: Server<unknown>;
}
