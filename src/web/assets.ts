import icon from "../../assets/linnet.svg" with { type: "text" };
import style from "../../assets/linnet.css" with { type: "text" };

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

export const stylesheet = asset("linnet", "css", "text/css; charset=utf-8", style);
export const favicon = asset("linnet", "svg", "image/svg+xml", icon);
