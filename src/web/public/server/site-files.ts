import { findAppearance } from "../../../core/server/appearance.ts";
import { iconPath, themeOf, themePath } from "../../page/theme.ts";
import { notFound } from "../../../errors.ts";
import type { Pages } from "../../page/page-routes.ts";
import type { PageRequest } from "../../page/page-request.tsx";

/** Robots that collect texts for language models, by the names that their operators document. */
const AI_ROBOTS = [
  "AI2Bot",
  "Amazonbot",
  "anthropic-ai",
  "Applebot-Extended",
  "Bytespider",
  "CCBot",
  "ClaudeBot",
  "cohere-ai",
  "cohere-training-data-crawler",
  "Diffbot",
  "FacebookBot",
  "Google-Extended",
  "GPTBot",
  "ImagesiftBot",
  "Meta-ExternalAgent",
  "Omgilibot",
  "PanguBot",
  "PerplexityBot",
  "Timpibot",
  "Webzio-Extended",
];

/** Pages that only signed-in users can read. */
const PRIVATE = ["/api/", "/settings", "/home", "/notifications", "/compose", "/search", "/oauth/", "/feeds/"];

/** Files that browsers and robots look for, which depend on the owner's decisions. */
export function siteFilePages(pages: Pages): void {
  pages.get("/robots.txt", (page) => text(robots(page), "text/plain; charset=utf-8"));
  pages.get("/manifest.webmanifest", (page) => text(JSON.stringify(manifest(page)), "application/manifest+json"));
  pages.get("/apple-touch-icon.png", (page) => page.redirect(pngIcon(page, 192)));
  pages.get("/favicon.ico", (page) => page.redirect(iconPath(page.ctx, 48).path));
  pages.get("/theme/:name", (page) => {
    const appearance = findAppearance(page.ctx.db);
    const own = themePath(appearance);
    if (own === null || `/${page.path.join("/")}` !== own) throw notFound();
    const response = text(themeOf(appearance), "text/css; charset=utf-8");
    response.headers.set("cache-control", "public, max-age=31536000, immutable");
    return response;
  });
}

function text(body: string, type: string): Response {
  return new Response(body, {
    headers: { "content-type": type, "cache-control": "no-cache", "x-content-type-options": "nosniff" },
  });
}

/** RFC 9309. Feeds and pages of accounts that don't want to be found also say so themselves. */
function robots({ ctx }: PageRequest): string {
  const { isIndexed, allowsAi } = findAppearance(ctx.db);
  const isOpen = isIndexed && !ctx.config.limitedFederation;
  const everyone = ["User-agent: *", ...(isOpen ? PRIVATE : ["/"]).map((path) => `Disallow: ${path}`)];
  const ai = allowsAi ? [] : [...AI_ROBOTS.map((name) => `User-agent: ${name}`), "Disallow: /", ""];
  return [...ai, ...everyone, ""].join("\n");
}

/** Lets phones and computers install the pages like an app (W3C, Web Application Manifest). */
function manifest(page: PageRequest): object {
  const { title, description } = page.ctx.config;
  return {
    id: "/",
    name: title,
    short_name: title,
    description,
    start_url: "/home",
    scope: "/",
    display: "standalone",
    background_color: "#f8f4f0",
    theme_color: "#f8f4f0",
    icons: ([192, 512] as const).map((size) => ({
      src: pngIcon(page, size),
      sizes: `${size}x${size}`,
      type: "image/png",
    })),
    share_target: { action: "/compose", method: "GET", params: { text: "text", url: "url" } },
  };
}

function pngIcon({ ctx }: PageRequest, size: 192 | 512): string {
  const { path, type } = iconPath(ctx, size);
  return type === "image/png" ? path : `/icons/${size}.png`;
}
