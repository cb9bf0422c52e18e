import type { Context } from "../../context.ts";

/** Where signed-in users start. */
export const START = "/home";

/** In characters. An app's request to sign in may be long. */
const MAX_PATH = 8000;

/** A path on this server; the start for anything else, so that a link can't lead to another site. */
export function safeReturnPath({ config }: Context, wanted: string): string {
  const { origin } = new URL(config.origin);
  if (wanted.length > MAX_PATH) return START;
  const [, path = "", query, anchor = ""] = /^([^?#]*)(?:\?([^#]*))?(#[\w-]{1,50})?/.exec(wanted) ?? [];
  // Browsers read a backslash as a slash, as URL does, and two slashes as the start of another host.
  const url = path.startsWith("/") ? URL.parse(path, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith("//")) return START;
  // Encoded again, since a header may contain only ASCII.
  return `${url.pathname}${query === undefined ? "" : `?${new URLSearchParams(query)}`}${anchor}`;
}
