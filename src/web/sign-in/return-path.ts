import type { PageRequest } from "../page/page-request.tsx";

export const AUTHORIZE = "/oauth/authorize";
export const INTERACTION = "/authorize_interaction";

/** A path on this server; the start page for anything else, so that a link can't lead to another site. */
export function safeReturnPath(page: PageRequest, wanted: string): string {
  const { origin } = new URL(page.ctx.config.origin);
  const start = wanted.indexOf("?");
  const path = start === -1 ? wanted : wanted.slice(0, start);
  // Browsers read a backslash as a slash, as URL does, and two slashes as the start of another host.
  const url = path.startsWith("/") ? URL.parse(path, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/";
  // Encoded again, since a header may contain only ASCII.
  return start === -1 ? url.pathname : `${url.pathname}?${new URLSearchParams(wanted.slice(start + 1))}`;
}
