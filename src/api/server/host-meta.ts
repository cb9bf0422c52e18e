import { localUrl } from "../../core/addresses.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import { object, text } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

/** RFC 7033, section 4.1. `federation/` answers it. */
const WebFinger = object({ resource: text({ max: 2048 }) });

/** RFC 6415: some servers use it to find the WebFinger address (RFC 7033) for the domain of a handle. */
export function hostMetaRoutes(routes: Router): void {
  const template = escapeHtml(localUrl(routes.ctx, "/.well-known/webfinger?resource={uri}"));
  const document = `<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">
  <Link rel="lrdd" template="${template}"/>
</XRD>
`;
  const headers = { "content-type": "application/xrd+xml; charset=utf-8" };
  routes
    .get(
      "/.well-known/host-meta",
      { open: "always", summary: "Get the host metadata (the WebFinger address)" },
      () => new Response(document, { headers }),
    )
    .describeOnly("GET", "/.well-known/webfinger", {
      open: "always",
      input: WebFinger,
      summary: "Find an account by its handle or address",
    });
}
