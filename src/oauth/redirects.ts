import { OUT_OF_BAND } from "./apps.ts";

/** Schemes that a browser would run or open itself instead of passing the response to an app. */
const FORBIDDEN_SCHEMES = new Set(["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "mailto:"]);

/** The characters of a URI (RFC 3986). Any other could end a header, or a source in a Content-Security-Policy. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/i;

/** A web host with its port. `new URL()` also accepts `;`, `,` and quotes, which would end a source of the policy. */
const WEB_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/;

/** How an app gets its response: RFC 6749, and OAuth 2.0 Multiple Response Types and Form Post. */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Splits a list of redirect URIs as sent by apps: at line breaks or other white space. */
export function splitRedirectUris(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Why a redirect URI can't be registered, in the words that follow "Validation failed:"; null when it can. */
export function redirectUriProblem(uri: string): string | null {
  if (uri === OUT_OF_BAND) return null;
  if (!ADDRESS.test(uri) || !URL.canParse(uri)) return "Redirect URI must be an absolute URI.";
  const { protocol, host, username, password } = new URL(uri);
  const isWeb = protocol === "https:" || protocol === "http:";
  // `https:host` is an absolute address for a browser, but not for programs that compare what follows `//`.
  const isWhole = !isWeb || (/^https?:\/\//i.test(uri) && WEB_HOST.test(host) && username === "" && password === "");
  if (!isWhole || FORBIDDEN_SCHEMES.has(protocol)) return "Redirect URI must be an absolute URI.";
  return uri.includes("#") ? "Redirect URI cannot contain a fragment." : null;
}

/**
 * The redirect URI with a response in its query or fragment. It is built as text: apps compare it with what they
 * registered letter by letter, and parsing would change `icecubesapp://` or a percent-encoded origin.
 */
export function responseUrl(redirectUri: string, mode: ResponseMode, answer: Record<string, string>): string {
  const pairs = Object.entries(answer).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (mode === "fragment") return `${redirectUri}#${pairs.join("&")}`;
  const joint = !redirectUri.includes("?") ? "?" : /[?&]$/.test(redirectUri) ? "" : "&";
  return redirectUri + joint + pairs.join("&");
}

/** Whether the response goes to a web page, and not to an app on the device. */
export function isWebAddress(redirectUri: string): boolean {
  return /^https?:\/\//i.test(redirectUri);
}

/** The recipient as users know it: the host of a web page, otherwise the scheme of an app. */
export function recipientOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return isWebAddress(redirectUri) ? host : protocol;
}

/**
 * The sources that a page's `form-action` needs so that its form may redirect there: Chromium checks every redirect
 * that follows a form, including those of the app's own pages. So a web app's origin comes with `https:`, since Elk's
 * callback redirects to wherever that copy of Elk is hosted.
 */
export function formActionSources(redirectUri: string): string[] {
  if (redirectUri === OUT_OF_BAND) return [];
  const { origin, host, protocol } = new URL(redirectUri);
  if (!isWebAddress(redirectUri)) return [protocol];
  return WEB_HOST.test(host) ? [origin, "https:"] : ["https:"];
}
