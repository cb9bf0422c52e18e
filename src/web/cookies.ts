/** The cookies of our pages: the session, what ties a form to a signed-out browser, and the users it knows by their id. */
export type CookieName = "session" | "form" | `known_${number}`;

/**
 * The name under which a cookie is kept. On https the prefix makes browsers refuse one that was set by a neighbouring
 * subdomain or without encryption.
 */
function nameOf(cookie: CookieName, secure: boolean): string {
  return `${secure ? "__Host-" : ""}linnet_${cookie}`;
}

export function readCookie(request: Request, cookie: CookieName, secure: boolean): string | null {
  const header = request.headers.get("cookie");
  const value = header && new Bun.CookieMap(header).get(nameOf(cookie, secure));
  return value && value.length <= 200 ? value : null;
}

/** A Set-Cookie header. Lives for `seconds`, or until the browser closes when null. */
export function setCookie(cookie: CookieName, value: string, secure: boolean, seconds: number | null): string {
  const parts = [`${nameOf(cookie, secure)}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  if (secure) parts.push("Secure");
  if (seconds !== null) parts.push(`Max-Age=${seconds}`);
  return parts.join("; ");
}
