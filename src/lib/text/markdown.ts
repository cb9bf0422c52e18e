/** The owner has few pages, which are requested often. */
const MAX_KEPT = 10;
const kept = new Map<string, string>();

/**
 * Converts Markdown (CommonMark, tables, and addresses as links) to HTML. HTML in it is escaped, links only lead to web
 * and mail addresses, and images become links, so that a page loads nothing from other sites. The library is loaded on
 * first use, since most servers never need it. The latest results are cached, since rendering is slow.
 */
export async function markdownToHtml(markdown: string): Promise<string> {
  const known = kept.get(markdown);
  if (known !== undefined) return known;
  const { default: MarkdownIt } = await import("markdown-it");
  const html = new MarkdownIt({ html: false, linkify: true }).disable("image").render(markdown);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(markdown, html);
  return html;
}
