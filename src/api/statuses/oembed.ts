import type { Context } from "../../context.ts";
import { localHandle, localUrl, statusAt } from "../../core/addresses.ts";
import { showStatus, type StatusJson } from "../../entities/statuses/statuses.ts";
import { escapeHtml } from "../../lib/text/html.ts";
import { int, object, optional, text } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

const DEFAULT_WIDTH = 400;
/** How long a site may cache the response, in seconds. */
const CACHE_AGE = 86_400;

const FONT = "font:16px/1.5 system-ui,sans-serif";
const BOX = `margin:0;padding:16px;border:1px solid #c8bdb5;border-radius:12px;${FONT};overflow-wrap:anywhere`;

/** Mastodon's documentation: methods/oembed, for sites that embed linked posts. */
export function oembedRoutes(routes: Router): void {
  const size = () => optional(int({ min: 1, max: 4000, clamp: true }));
  const input = object({ url: text({ max: 2000 }), maxwidth: size(), maxheight: size() });
  routes.get(
    "/api/oembed",
    { open: true, input, summary: "Get an HTML embed of a status" },
    ({ ctx, input: { url, maxwidth, maxheight } }) => {
      const status = showStatus(ctx, 0, statusAt(ctx, 0, url));
      const width = maxwidth ?? DEFAULT_WIDTH;
      return {
        type: "rich",
        version: "1.0",
        title: `New status by ${status.account.username}`,
        author_name: status.account.display_name || status.account.username,
        author_url: status.account.url,
        provider_name: ctx.config.handleDomain,
        provider_url: localUrl(ctx, "/"),
        cache_age: CACHE_AGE,
        html: quotation(ctx, status, width),
        width,
        height: maxheight ?? null,
      };
    },
  );
}

/** The post as a quotation without scripts, frames or anything that would reveal the reader to this server. */
function quotation(ctx: Context, status: StatusJson, width: number): string {
  const { account, url, content, spoiler_text, language, created_at } = status;
  const name = escapeHtml(account.display_name || account.username);
  const handle = escapeHtml(localHandle(ctx, account.username));
  const address = escapeHtml(url ?? status.uri);
  const words = spoiler_text ? `<p>${escapeHtml(spoiler_text)}</p>` : content;
  const lang = language === null ? "" : ` lang="${escapeHtml(language)}"`;
  return (
    `<blockquote cite="${address}" style="max-width:${width}px;${BOX}"><p><strong><bdi>${name}</bdi></strong> ${handle}</p>` +
    `<div dir="auto"${lang}>${words}</div>` +
    `<p><a href="${address}"><time datetime="${created_at}">${created_at.slice(0, 10)}</time></a></p></blockquote>`
  );
}
