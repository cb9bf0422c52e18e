import type { Context } from "../../context.ts";
import { notAllowed, Refusal } from "../../errors.ts";
import { escapeHtml, htmlToText } from "../../lib/text/html.ts";
import { withTagsOf } from "../../lib/text/markup.ts";
import { protectShortcodes } from "../../lib/text/shortcodes.ts";
import { findAccount } from "../accounts.ts";
import { emojisOf } from "../media/emojis.ts";
import { pollOf } from "./polls.ts";
import { isOpen, type StatusRow } from "../visibility.ts";

export interface Translation {
  /** HTML with the tags of the original. */
  content: string;
  spoilerText: string;
  poll: { id: number; titles: string[] } | null;
  media: { id: number; description: string }[];
  language: string;
  sourceLanguage: string;
}

/** The parts of a status that can be translated. */
interface Parts {
  content: string;
  spoilerText: string;
  poll: { id: number; titles: string[] } | null;
  media: { id: number; description: string }[];
}

/**
 * Translates a status with its spoiler text, poll and media descriptions; by default into the viewer's locale. Call it
 * only if the viewer may see the status. Statuses that aren't for everyone are never sent to the service.
 */
export async function translateStatus(
  ctx: Context,
  viewerId: number,
  status: StatusRow,
  language: string | null,
): Promise<Translation> {
  if (!isOpen(status)) throw notAllowed();
  const { translator } = ctx;
  if (!translator) throw new Refusal("unavailable", "Service Unavailable");
  const wanted = language ?? localeOf(ctx, viewerId);
  const targets = await targetsFrom(ctx, status.language);
  const target = targets.includes(wanted) ? wanted : wanted.split(/[-_]/, 1)[0]!;
  if (!targets.includes(target)) throw notAllowed();
  const parts = partsOf(ctx, status);
  const { domain } = findAccount(ctx, status.account_id);
  const html = textsOf(parts, emojisOf(ctx, domain));
  const { texts, source } = await translator.translate(html, baseOf(status.language), target);
  return { ...translatedParts(parts, texts), language: target, sourceLanguage: source };
}

/** Target languages by source language, with `und` for an unknown source; empty without a service. */
export async function translationLanguages(ctx: Context): Promise<Record<string, string[]>> {
  if (!ctx.translator) return {};
  const pairs = await ctx.translator.languages();
  return { ...Object.fromEntries(pairs), und: [...new Set([...pairs.values()].flat())].sort() };
}

async function targetsFrom(ctx: Context, language: string | null): Promise<string[]> {
  const pairs = await translationLanguages(ctx);
  return pairs[baseOf(language) ?? "und"] ?? [];
}

/** The language without region: services know `pt-BR` as `pt`. */
function baseOf(language: string | null): string | null {
  return language && language.split("-", 1)[0]!;
}

function localeOf(ctx: Context, accountId: number): string {
  return ctx.db.get<{ locale: string }>("SELECT locale FROM users WHERE account_id = +$accountId", { accountId })!
    .locale;
}

function partsOf(ctx: Context, status: StatusRow): Parts {
  const poll = pollOf(ctx.db, status.id);
  return {
    content: status.content,
    spoilerText: status.spoiler_text,
    poll: poll && { id: poll.id, titles: poll.titles },
    media: ctx.db.all<{ id: number; description: string }>(
      `SELECT id, description FROM media_attachments
       WHERE status_id = +$statusId AND position >= 0 AND coalesce(description, '') <> '' ORDER BY position`,
      { statusId: status.id },
    ),
  };
}

/**
 * All parts as HTML, in the order that `translatedParts` expects. The author's custom emoji are protected from
 * translation.
 */
function textsOf({ content, spoilerText, poll, media }: Parts, emojis: ReadonlyMap<string, unknown>): string[] {
  const kept = (html: string) => protectShortcodes(html, (shortcode) => emojis.has(shortcode));
  const plain = [spoilerText, ...(poll?.titles ?? [])].map(escapeHtml);
  return [content, ...plain].map(kept).concat(media.map(({ description }) => escapeHtml(description)));
}

function translatedParts(parts: Parts, texts: readonly string[]): Parts {
  const [content = "", ...plain] = texts;
  const [spoilerText = "", ...rest] = plain.map(htmlToText);
  const titles = rest.slice(0, parts.poll?.titles.length ?? 0);
  const descriptions = rest.slice(titles.length);
  return {
    content: withTagsOf(parts.content, content),
    spoilerText,
    poll: parts.poll && { id: parts.poll.id, titles },
    media: parts.media.map(({ id }, at) => ({ id, description: descriptions[at]! })),
  };
}
