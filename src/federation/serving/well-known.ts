import type { Context } from "../../context.ts";
import { accountUri, accountUrl, isOwnHost, localUrl } from "../../core/addresses.ts";
import { isDeleted } from "../../core/tombstones.ts";
import { ACTIVITY_TYPE } from "../documents.ts";
import { serverActorName, serverActorUri } from "../addresses.ts";
import { localNameIn } from "../local.ts";
import { parseSubject } from "../fetching/webfinger.ts";

const INTERACTION = "/authorize_interaction?uri=";
/** The intents that the page serves (FEP-3b86): to follow an account, and to open a post or an account here. */
const INTENTS = ["Follow", "Object"];

const NAMED = `
  SELECT a.username FROM accounts a JOIN users u ON u.account_id = a.id
  WHERE lower(a.username) = lower($name) AND a.domain IS NULL AND u.approved AND a.suspended_at IS NULL`;

/**
 * The WebFinger document (RFC 7033) of a local account or of the server itself, by `acct:` with either of the server's
 * hosts, or by URI or URL. Null if there is none.
 */
export function webFinger(ctx: Context, resource: string): object | null {
  const handle = parseSubject(resource);
  if (handle && !isOwnHost(ctx, handle.domain)) return null;
  if (isServer(ctx, handle?.username ?? resource)) return serverJrd(ctx);
  const name = nameIn(ctx, resource);
  const account = name === null ? null : ctx.db.get<{ username: string }>(NAMED, { name });
  return account && accountJrd(ctx, account.username);
}

/** Whether a resource is a local account that was deleted. */
export function isGone(ctx: Context, resource: string): boolean {
  const username = nameIn(ctx, resource);
  return username !== null && isDeleted(ctx, { username, statusId: null });
}

/** The name of the local account that a resource may be: by handle, URI or URL. */
function nameIn(ctx: Context, resource: string): string | null {
  const handle = parseSubject(resource);
  if (!handle) return localNameIn(ctx, resource);
  return isOwnHost(ctx, handle.domain) ? handle.username : null;
}

/** The server's own account has the handle `@domain@domain`, and is also found by the server's address (FEP-d556). */
function isServer(ctx: Context, name: string): boolean {
  const { origin } = ctx.config;
  return [serverActorName(ctx), new URL(origin).hostname, origin, `${origin}/`, serverActorUri(ctx)].includes(name);
}

function accountJrd(ctx: Context, username: string): object {
  const page = accountUrl(ctx, username);
  const uri = accountUri(ctx, username);
  return {
    subject: `acct:${username}@${ctx.config.handleDomain}`,
    aliases: [page, uri],
    links: [
      { rel: "http://webfinger.net/rel/profile-page", type: "text/html", href: page },
      { rel: "self", type: ACTIVITY_TYPE, href: uri },
      { rel: "http://ostatus.org/schema/1.0/subscribe", template: localUrl(ctx, `${INTERACTION}{uri}`) },
      ...INTENTS.map((intent) => ({
        rel: `https://w3id.org/fep/3b86/${intent}`,
        template: localUrl(ctx, `${INTERACTION}{object}`),
      })),
    ],
  };
}

function serverJrd(ctx: Context): object {
  const uri = serverActorUri(ctx);
  const page = localUrl(ctx, "/about");
  return {
    subject: `acct:${serverActorName(ctx)}@${ctx.config.handleDomain}`,
    aliases: [uri],
    links: [
      { rel: "http://webfinger.net/rel/profile-page", type: "text/html", href: page },
      { rel: "self", type: ACTIVITY_TYPE, href: uri },
    ],
  };
}
