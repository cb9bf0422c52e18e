import type { AnyElysia } from "elysia";
import type { Context } from "../context.ts";
import { keyOf } from "../core/people/account-keys.ts";
import { addRoute, type Incoming } from "../lib/http/elysia.ts";
import { parseQuery, searchOf, targetOf } from "../lib/http/params.ts";
import { documentResponse, Documents } from "./serving/local-documents.ts";
import { receive } from "./inbox/receive.ts";
import { Keys } from "./inbox/signing-keys.ts";
import { Rejection } from "./inbox/rejection.ts";
import { isGone, webFinger } from "./serving/well-known.ts";
import { emptyOutbox } from "./serving/collections.ts";
import { AUTHORIZATION_PARTS } from "../core/addresses.ts";
import { serverActorUri } from "./addresses.ts";
import { withContext } from "./write/context.ts";
import { serverActorDocument } from "./write/actor.ts";

/**
 * Answers activities to all accounts. Most requests of other servers are such, so they skip what apps need of each
 * response: add this before any other hook.
 */
export function sharedInbox(app: AnyElysia, ctx: Context, keys: Keys): void {
  app.onRequest(({ request }) => {
    if (request.method !== "POST" || targetOf(request.url) !== "/inbox") return undefined;
    ctx.requestLog.start(request, crypto.randomUUID());
    return answer(() => receive(ctx, keys, request, null));
  });
}

/** Adds the routes that only other servers use, and serves documents where pages have the same URL. */
export function federationRoutes(app: AnyElysia, ctx: Context, keys: Keys): void {
  const documents = new Documents(ctx, keys);
  const route = (method: string, path: string, handle: (incoming: Incoming) => Response | Promise<Response>) =>
    addRoute(app, method, path, (incoming) => answer(() => handle(incoming)));
  route("POST", "/inbox", ({ request }) => receive(ctx, keys, request, null));
  route("POST", "/users/:name/inbox", ({ request, params }) => receive(ctx, keys, request, params.name!));
  route("GET", "/.well-known/webfinger", ({ request }) => fingerResponse(ctx, request));
  // Strict servers verify the signature of a fetch by this document, so it must not need a signature itself.
  route("GET", "/actor", async () => {
    await keyOf(ctx, null);
    return documentResponse(withContext(serverActorDocument(ctx)));
  });
  route("GET", "/actor/outbox", () => documentResponse(withContext(emptyOutbox(serverActorUri(ctx)))));
  route("GET", "/emojis/:shortcode", ({ request, params }) => documents.emoji(request, params.shortcode!));
  for (const part of [
    "outbox",
    "followers",
    "followers_synchronization",
    "following",
    "collections/featured",
    "collections/tags",
  ]) {
    route("GET", `/users/:name/${part}`, ({ request }) => documents.at(request));
  }
  route("GET", "/users/:name/quote_authorizations/:id", ({ request, params }) =>
    documents.quoteAuthorization(request, params.name!, params.id!),
  );
  for (const kind of ["reply", "favourite", "reblog"] as const) {
    route("GET", `/users/:name/${AUTHORIZATION_PARTS[kind]}/:id`, ({ request, params }) =>
      documents.interactionAuthorization(request, kind, params.name!, params.id!),
    );
  }
  for (const part of ["context", "replies", "likes", "shares"]) {
    route("GET", `/users/:name/statuses/:id/${part}`, ({ request }) => documents.at(request));
  }
  app.onRequest(async ({ request, set }) => {
    if (!documents.isNegotiated(request)) return undefined;
    // For caches: the same URL is a page for others.
    set.headers.vary = "Accept";
    return documents.isPreferred(request) ? answer(() => documents.at(request)) : undefined;
  });
}

async function answer(handle: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof Rejection) return error.toResponse();
    throw error;
  }
}

function fingerResponse(ctx: Context, request: Request): Response {
  const { resource } = parseQuery(searchOf(request.url));
  if (typeof resource !== "string" || resource === "") throw new Rejection(400, "The parameter resource is missing");
  const document = webFinger(ctx, resource);
  if (!document && isGone(ctx, resource)) throw new Rejection(410, "This account is gone");
  if (!document) throw new Rejection(404, "There is no such account on this server");
  const headers = { "content-type": "application/jrd+json", "cache-control": "max-age=3600" };
  return new Response(JSON.stringify(document), { headers });
}
