import type { AnyElysia } from "elysia";
import type { Context } from "../../context.ts";
import { Refusal } from "../../errors.ts";
import { addRoute } from "../../lib/http/elysia.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { readParams, type Params } from "../../lib/http/params.ts";
import { OAuthRefusal } from "../../oauth/refusals.ts";
import { grantToken, revokeForClient } from "../../oauth/grants.ts";

const MAX_BYTES = 64 * 1024;
const HEADERS = { "cache-control": "no-store", pragma: "no-cache" };

/**
 * The endpoints where apps exchange a code for a token and revoke tokens. They are beside the page that issues the
 * code, and not among the routes of the API, because their Authorization header has the app's id and secret, and their
 * errors are OAuth's.
 */
export function tokenRoutes(app: AnyElysia, ctx: Context): void {
  post(app, ctx, "/oauth/token", (authorization, params) => grantToken(ctx, authorization, params));
  post(app, ctx, "/oauth/revoke", (authorization, params) => {
    revokeForClient(ctx, authorization, params);
    return {};
  });
}

function post(
  app: AnyElysia,
  ctx: Context,
  path: string,
  answer: (authorization: string | null, params: Params) => object,
): void {
  addRoute(app, "POST", path, async ({ request, clientAddress }) => {
    const rate = ctx.rates?.address.take(addressKey(clientAddress), ctx.clock.now());
    if (rate?.exceeded) throw new Refusal("too_many", "Too many requests");
    const params = await paramsOf(request);
    const result = await ctx.db.whenWritable(() => answer(request.headers.get("authorization"), params));
    return Response.json(result, { headers: HEADERS });
  });
}

async function paramsOf(request: Request): Promise<Params> {
  try {
    return await readParams(request, MAX_BYTES);
  } catch (error) {
    throw error instanceof Refusal ? new OAuthRefusal("invalid_request", error.message) : error;
  }
}
