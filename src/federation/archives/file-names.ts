import { isJson, listOf, type Json } from "../read/json.ts";

/*
 * Mastodon's archives name files by their paths, other programs by their addresses. The readers of documents accept only
 * addresses, so a path becomes one of a host that can't exist.
 */
const NOWHERE = "https://archive.invalid/";

/** A document whose attachments have addresses. */
export function withResolvedFiles(document: Json): Json {
  return { ...document, attachment: listOf(document.attachment).map(resolvedPicture) };
}

/** A picture or attachment with an address instead of a path. */
export function resolvedPicture(value: unknown): unknown {
  if (!isJson(value)) return value;
  return { ...value, url: listOf(value.url).map((url) => (typeof url === "string" ? resolved(url) : url)) };
}

function resolved(path: string): string {
  if (/^https?:\/\//i.test(path)) return path;
  return NOWHERE + path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
}

/** The names that a file with this address may have in the archive. Other servers' files may have none. */
export function namesOf(address: string): string[] {
  const path = decoded(URL.parse(address)?.pathname ?? "").replace(/^\/+/, "");
  const fromUploads = path.indexOf("media_attachments/");
  const names = [path, path.replace(/^system\//, ""), fromUploads > 0 ? path.slice(fromUploads) : path];
  return [...new Set(names)].filter((name) => name !== "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
