/**
 * Markdown (CommonMark, tables, and addresses as links) as HTML. HTML in it is shown as it was typed, links lead nowhere
 * but to pages and mailboxes, and pictures become links, so that a page loads nothing from elsewhere. What does it is
 * loaded at the first need: most starts of the server never need it.
 */
export async function markdownToHtml(markdown: string): Promise<string> {
  const { default: MarkdownIt } = await import("markdown-it");
  return new MarkdownIt({ html: false, linkify: true }).disable("image").render(markdown);
}
