/** @jsxImportSource preact */
import { FEED_TYPES } from "../feeds/feed.ts";
import type { PageRequest } from "../page/page-request.tsx";

interface MetaProps {
  page: PageRequest;
  /** The canonical URL of the page. */
  url: string;
  type: "profile" | "article";
  title: string;
  description: string;
  image: { url: string; description: string; isLarge: boolean };
  /** When the post was written, in ISO 8601. */
  published?: string;
}

/** Longer than any preview shows. */
const MAX_DESCRIPTION = 400;

/** Metadata for link previews (OpenGraph), and the canonical URL for search engines. */
export function Meta({ page, url, type, title, description, image, published }: MetaProps) {
  const text =
    description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION).trimEnd()}…` : description;
  return (
    <>
      <link rel="canonical" href={url} />
      <meta name="description" content={text} />
      <meta property="og:site_name" content={page.ctx.config.title} />
      <meta property="og:type" content={type} />
      <meta property="og:url" content={url} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={text} />
      <meta property="og:image" content={image.url} />
      {image.description && <meta property="og:image:alt" content={image.description} />}
      {published && <meta property="og:published_time" content={published} />}
      <meta name="twitter:card" content={image.isLarge ? "summary_large_image" : "summary"} />
    </>
  );
}

/** The feeds of a page, by which readers find them. */
export function FeedLinks({ address, title }: { address: string; title: string }) {
  return (
    <>
      {Object.entries(FEED_TYPES).map(([ending, type]) => (
        <link rel="alternate" type={type} href={`${address}.${ending}`} title={title} />
      ))}
    </>
  );
}
