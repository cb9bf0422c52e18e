import type { Context } from "../../context.ts";
import { accountUri, localHandle } from "../../core/addresses.ts";
import { OutboundError } from "../../lib/http/outbound.ts";
import { checkHost } from "../fetching/fetch.ts";
import { type Json, parseDocument } from "../read/json.ts";
import { type Finding, ok, problem, unknown } from "./findings.ts";

const CHECK = "View of this server";
const BOUNDS = { accept: ["application/json"], maxBytes: 256 * 1024, timeout: 10_000, redirects: 0 };

const FIRST_USER = `
  SELECT a.username FROM users u JOIN accounts a ON a.id = u.account_id
  WHERE u.approved AND a.suspended_at IS NULL ORDER BY u.id LIMIT 1`;

/** How another server shows the first user of this one to anyone, by the lookup of Mastodon's API. */
export async function viewFinding(ctx: Context, origin: string): Promise<Finding> {
  const user = ctx.db.get<{ username: string }>(FIRST_USER);
  if (!user) return unknown(CHECK, 'This server has no user. Create one with "linnet setup".');
  const handle = localHandle(ctx, user.username);
  const url = `${origin}/api/v1/accounts/lookup?acct=${encodeURIComponent(handle.slice(1))}`;
  try {
    const { body } = await ctx.fetchOutside(url, { ...BOUNDS, check: (hop) => checkHost(ctx, hop) });
    return shownAs(ctx, user.username, parseDocument(new TextDecoder().decode(body)));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.status === 404) {
      return unknown(
        CHECK,
        `It doesn't know ${handle}, or has no public lookup. Let a user there search for ${handle}.`,
      );
    }
    return unknown(
      CHECK,
      `It shows accounts to nobody outside (${error.message}). Ask a user there to open ${handle}.`,
    );
  }
}

function shownAs(ctx: Context, username: string, account: Json | null): Finding {
  const handle = localHandle(ctx, username);
  if (!account) return unknown(CHECK, `Its answer can't be read. Ask a user there to open ${handle}.`);
  if (account.suspended === true) {
    return problem(CHECK, `It has suspended ${handle}. Ask its moderators for the reason.`);
  }
  if (account.limited === true) return problem(CHECK, `It limits ${handle}. Ask its moderators for the reason.`);
  if (typeof account.uri === "string" && account.uri !== accountUri(ctx, username)) {
    return problem(CHECK, `It takes ${account.uri} for ${handle}. Let a user there search for ${handle} again.`);
  }
  return ok(CHECK, `It shows ${handle}.`);
}
