import { isDocumentType } from "../documents.ts";

/**
 * Whether a request prefers an ActivityPub document to a page (RFC 9110, section 12.5.1). Browsers and apps that accept
 * anything get the page.
 */
export function prefersDocument(accept: string | null): boolean {
  if (accept === null || !/\/(?:activity|ld)\+json/i.test(accept)) return false;
  let document = 0;
  let page = 0;
  for (const each of accept.split(",")) {
    const type = each.trim();
    const quality = Number(/;\s*q=([\d.]+)/i.exec(type)?.[1] ?? 1);
    if (isDocumentType(type)) document = Math.max(document, quality);
    else if (/^text\/html\b/i.test(type)) page = Math.max(page, quality);
  }
  return document > 0 && document >= page;
}
