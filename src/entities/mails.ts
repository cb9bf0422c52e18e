import type { Context } from "../context.ts";
import type { Mail } from "../lib/mail/mailer.ts";
import { escapeHtml } from "../lib/text/html.ts";
import type { MailText, MailTexts } from "./mail-texts.ts";

/** Writes an e-mail, as plain text and as HTML with the same content. */
export function writeMail(
  { config }: Context,
  to: { address: string; name: string },
  texts: MailTexts,
  { subject, paragraphs, link, notes }: MailText,
  url: string | null,
): Mail {
  const before = [texts.greeting(to.name), ...paragraphs];
  const after = [...notes, `${config.title}\n${config.origin}`];
  const label = link && url !== null ? link : null;
  return {
    to: to.address,
    subject: `${subject} · ${config.title}`,
    text: `${[...before, ...(label === null ? [] : [`${label}:\n${url}`]), ...after].join("\n\n")}\n`,
    html: [
      `<!doctype html><html lang="${texts.language}"><meta charset="utf-8"><body style="font:16px/1.5 sans-serif;max-width:36em">`,
      ...before.map(paragraph),
      ...(label === null ? [] : [`<p><a href="${escapeHtml(url!)}">${escapeHtml(label)}</a></p>`]),
      ...after.map(paragraph),
      "</body></html>",
    ].join("\n"),
  };
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text).replaceAll("\n", "<br>")}</p>`;
}
