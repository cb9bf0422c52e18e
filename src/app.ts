import { type AnyElysia, Elysia } from "elysia";
import { apiRoutes } from "./api/index.ts";
import { Router } from "./api/router.ts";
import { SOCKET_SETTINGS } from "./api/streaming/web-socket.ts";
import type { Context } from "./context.ts";
import { UnexpectedMentions } from "./core/statuses/drafts.ts";
import { showAccounts } from "./entities/accounts.ts";
import { DatabaseLockedRefusal, isDiskFull, Refusal, ValidationRefusal, type RefusalKind } from "./errors.ts";
import { remoteOf } from "./federation/fetching/remote.ts";
import { Keys } from "./federation/inbox/signing-keys.ts";
import { federationRoutes, sharedInbox } from "./federation/routes.ts";
import { clientAddress } from "./lib/http/ip-addresses.ts";
import { stackOf } from "./lib/log.ts";
import { OAuthRefusal } from "./oauth/refusals.ts";
import { describeIn, errorLanguage, inLanguage } from "./web/i18n/error-messages.ts";
import { remoteFileRoutes } from "./web/remote-files.ts";
import { clientRoutes } from "./web/client-files.ts";
import { fileRoutes } from "./web/static-files.ts";
import { webRoutes } from "./web/index.ts";

const STATUS: Record<RefusalKind, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  invalid: 422,
  too_many: 429,
  unavailable: 503,
};

/** Web apps run on other origins. Cross-origin requests carry no cookies, so any origin is allowed. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Mastodon-Async-Refresh",
};

const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, Cache-Control, Last-Event-ID",
  "access-control-max-age": "86400",
};

/** Builds the HTTP application. Only this file maps refusals to HTTP statuses. */
export async function createApp(ctx: Context) {
  const keys = new Keys(ctx);
  const app = new Elysia({ name: "linnet", websocket: SOCKET_SETTINGS });
  sharedInbox(app, ctx, keys);
  app
    .onRequest(({ request, set }) => {
      if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
      Object.assign(set.headers, CORS_HEADERS);
      const id = crypto.randomUUID();
      ctx.requestLog.start(request, id);
      set.headers["x-request-id"] = id;
      // RFC 9110, section 6.6.1. Bun adds it to all responses except those to HEAD.
      if (request.method === "HEAD") set.headers.date = new Date(ctx.clock.now()).toUTCString();
    })
    .derive(({ request, server }) => ({
      clientAddress: clientAddress(
        server?.requestIP(request)?.address ?? "",
        request.headers.get("x-forwarded-for"),
        ctx.config.trustedProxies,
      ),
    }))
    .onError(({ error, code, request, set }) => {
      const language = errorLanguage(ctx, request);
      set.headers["content-language"] = language;
      const refusal = refusalResponse(ctx, error, code, language);
      const response = refusal ?? failureResponse(error, language);
      set.status = response.status;
      if (response.status >= 500) {
        ctx.requestLog.end(request, response.status, error instanceof Refusal ? error.message : stackOf(error));
      }
      return response;
    });
  if (ctx.config.logLevel === "debug") logRequests(app, ctx);
  ctx.remote = remoteOf(ctx);
  federationRoutes(app, ctx, keys);
  const routes = new Router(app, ctx);
  apiRoutes(routes);
  remoteFileRoutes(app, ctx);
  await fileRoutes(app, ctx);
  await clientRoutes(app, ctx);
  webRoutes(app, ctx, () => routes.describe());
  return app;
}

/** The response for a refusal or an unknown route; null for an unexpected error. */
function refusalResponse(ctx: Context, error: unknown, code: string | number, language: string): Response | null {
  if (error instanceof OAuthRefusal) return error.toResponse(inLanguage(error.message, language));
  if (error instanceof Refusal) {
    const headers = error instanceof DatabaseLockedRefusal ? { "retry-after": String(error.retryAfter) } : undefined;
    const body = { error: inLanguage(error.message, language), ...detailsOf(ctx, error, language) };
    return Response.json(body, { status: STATUS[error.kind], headers });
  }
  return code === "NOT_FOUND" ? Response.json({ error: inLanguage("Not found", language) }, { status: 404 }) : null;
}

/** Fields of Mastodon's error response besides the message. */
function detailsOf(ctx: Context, error: Refusal, language: string): object {
  if (error instanceof ValidationRefusal) {
    return { details: error.detailsWith((description) => describeIn(description, language)) };
  }
  if (error instanceof UnexpectedMentions) return { unexpected_accounts: showAccounts(ctx, error.accountIds) };
  return {};
}

/** The response for an unexpected error. It reveals no details, except for a full disk, which the owner can fix. */
function failureResponse(error: unknown, language: string): Response {
  const [status, message] = isDiskFull(error)
    ? [503, "The disk of this server is full. The administrator must free up space."]
    : [500, "Something went wrong on the server"];
  return Response.json({ error: inLanguage(message, language) }, { status });
}

/** Logs every request, which costs about 5 µs each, so it is for debugging only. `onError` always logs failures. */
function logRequests(app: AnyElysia, ctx: Context): void {
  app.onAfterResponse(({ request, set, responseValue }) => {
    const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200);
    ctx.requestLog.end(request, status);
  });
}
