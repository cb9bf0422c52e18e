/**
 * The cookies of the pages: the session, the form secret of a signed-out browser, a sign-in that waits for a second
 * factor, one per user known to the browser, and the browser's time zone, which a script sets for a sign-in.
 */
export type CookieName = "session" | "form" | "second_step" | "time_zone" | `known_${number}`;

/**
 * The full name of a cookie. On https the prefix makes browsers refuse one that was set by a sibling subdomain or
 * without encryption.
 */
export function nameOf(cookie: CookieName, secure: boolean): string {
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
