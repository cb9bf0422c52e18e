/** The pages of an owner are few, and asked for again and again. */
const MAX_KEPT = 10;
const kept = new Map<string, string>();

/**
 * Markdown (CommonMark, tables, and addresses as links) as HTML. HTML in it is shown as it was typed, links lead nowhere
 * but to pages and mailboxes, and pictures become links, so that a page loads nothing from elsewhere. What does it is
 * loaded at the first need: most starts of the server never need it. What it made last is kept, since that took long.
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
