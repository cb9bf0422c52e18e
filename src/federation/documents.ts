/*
 * ActivityPub documents are plain JSON. They are written with one constant context, and no context is ever fetched:
 * https://www.w3.org/TR/activitypub/
 */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export const ACTIVITY_TYPE = "application/activity+json";
const PROFILE = "https://www.w3.org/ns/activitystreams";
const LD_TYPE = `application/ld+json; profile="${PROFILE}"`;

/** The media types of ActivityPub documents, for Accept. */
export const DOCUMENT_TYPES = [ACTIVITY_TYPE, LD_TYPE];

/**
 * Whether a Content-Type is that of an ActivityPub document. Other JSON may be a file that a user uploaded to their
 * server, which must not speak for it.
 */
export function isDocumentType(contentType: string | null): boolean {
  const [type = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim());
  if (type.toLowerCase() === ACTIVITY_TYPE) return true;
  if (type.toLowerCase() !== "application/ld+json") return false;
  const profile = parameters.find((each) => /^profile\s*=/i.test(each))?.replace(/^profile\s*=\s*/i, "");
  return (profile ?? "").replaceAll('"', "").split(/\s+/).includes(PROFILE);
}

/** The address without its fragment, which servers never see. */
export function withoutFragment(uri: string): string {
  return uri.split("#", 1)[0]!;
}

/** Whether two addresses have the same scheme, host and port (FEP-fe34): only then may one speak for the other. */
export function isSameOrigin(one: string, other: string): boolean {
  const origin = URL.parse(one)?.origin;
  return origin !== undefined && origin !== "null" && origin === URL.parse(other)?.origin;
}

/**
 * The host of an address in lower case, with the port if it isn't the default; null if this is no http(s) address. A dot
 * at its end leads to the same host, so it is left out.
 */
export function hostOf(uri: string): string | null {
  const url = URL.parse(uri);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.hostname.endsWith(".") ? url.host.replace(/\.(?=:|$)/, "") : url.host;
}
