import icon from "../../assets/linnet.svg" with { type: "text" };
import passkeys from "../../assets/passkeys.js" with { type: "text" };
import pages from "../../assets/scripts/pages.js" with { type: "text" };
import api from "../../assets/styles/api.css" with { type: "text" };
import base from "../../assets/styles/base.css" with { type: "text" };
import compose from "../../assets/styles/compose.css" with { type: "text" };
import forms from "../../assets/styles/forms.css" with { type: "text" };
import lists from "../../assets/styles/lists.css" with { type: "text" };
import navigation from "../../assets/styles/navigation.css" with { type: "text" };
import posts from "../../assets/styles/posts.css" with { type: "text" };
import print from "../../assets/styles/print.css" with { type: "text" };
import profile from "../../assets/styles/profile.css" with { type: "text" };
import prose from "../../assets/styles/prose.css" with { type: "text" };
import reading from "../../assets/styles/reading.css" with { type: "text" };

export interface Asset {
  path: string;
  type: string;
  content: string;
}

/** A file that the pages load. Its path changes with the content, so that browsers may cache it forever. */
function asset(name: string, extension: string, type: string, content: string): Asset {
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${extension}`, type, content };
}

/** One file for all pages: a browser loads it once, before it shows the first of them. Later rules override earlier ones. */
const STYLES = [base, navigation, forms, lists, prose, profile, posts, reading, compose, api, print];

export const stylesheet = asset("linnet", "css", "text/css; charset=utf-8", STYLES.join("\n"));
export const favicon = asset("linnet", "svg", "image/svg+xml", icon);
export const passkeyScript = asset("passkeys", "js", "text/javascript; charset=utf-8", passkeys);

/** For live updates and writing posts. The pages that name it work without it. */
export const script = asset("linnet", "js", "text/javascript; charset=utf-8", pages);

/** All files that the pages load. */
export const ASSETS: readonly Asset[] = [stylesheet, favicon, script, passkeyScript];
