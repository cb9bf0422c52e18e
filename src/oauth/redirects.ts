import { OUT_OF_BAND } from "./apps.ts";

/** Where a browser would run or open something of its own instead of handing the answer to an app. */
const FORBIDDEN_SCHEMES = new Set(["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "mailto:"]);

/** What RFC 3986 allows in an address. Anything else could end a header, or a source in a Content-Security-Policy. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/i;

/** A host of the web with its port. `new URL()` also takes `;`, `,` and quotes, which would end a source of the policy. */
const WEB_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/;

/** How an app wants its answer: RFC 6749, and OAuth 2.0 Multiple Response Types and Form Post. */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Splits a list as it comes over the wire: one address a line, or with other white space between them. */
export function splitRedirectUris(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Why an address can't be registered, in the words that follow "Validation failed:"; null when it can. */
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
 * The address with an answer in its query or fragment. It is put together as text: apps compare what they registered
 * letter by letter, and parsing would change `icecubesapp://` or a percent-encoded origin.
 */
export function answerAddress(redirectUri: string, mode: ResponseMode, answer: Record<string, string>): string {
  const pairs = Object.entries(answer).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (mode === "fragment") return `${redirectUri}#${pairs.join("&")}`;
  const joint = !redirectUri.includes("?") ? "?" : /[?&]$/.test(redirectUri) ? "" : "&";
  return redirectUri + joint + pairs.join("&");
}

/** Whether the answer goes to a page on the web, and not to an app on the device. */
export function isWebAddress(redirectUri: string): boolean {
  return /^https?:\/\//i.test(redirectUri);
}

/** Whom an address belongs to, as people know it: a host on the web, otherwise the scheme that an app answers to. */
export function recipientOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return isWebAddress(redirectUri) ? host : protocol;
}

/**
 * What a form's `form-action` must name so that its answer may redirect there: Chromium holds every redirect that
 * follows a form against it, those of the app's own pages too. So a web app's origin comes with `https:`, since Elk's
 * callback sends on to wherever that copy of Elk lives.
 */
export function formActionSources(redirectUri: string): string[] {
  if (redirectUri === OUT_OF_BAND) return [];
  const { origin, host, protocol } = new URL(redirectUri);
  if (!isWebAddress(redirectUri)) return [protocol];
  return WEB_HOST.test(host) ? [origin, "https:"] : ["https:"];
}
