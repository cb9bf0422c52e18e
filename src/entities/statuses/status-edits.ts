import type { Context } from "../../context.ts";
import { findAccount } from "../../core/accounts.ts";
import { mediaByIds, versionsOf } from "../../core/statuses/versions.ts";
import { quotedIn } from "../../core/quotes/quotes.ts";
import type { StatusRow } from "../../core/visibility.ts";
import { wordsWithShortcodes } from "../../lib/text/shortcodes.ts";
import { showAccount } from "../accounts.ts";
import { emojisJson } from "../emojis.ts";
import { timestamp } from "../json.ts";
import { showMedia } from "./media.ts";
import { contentWithQuote } from "./quotes.ts";
import { showStatus } from "./statuses.ts";

/** Mastodon's StatusEdit (entities/StatusEdit). An edit never changes the quote. */
export function showVersions(ctx: Context, viewerId: number, status: StatusRow) {
  const versions = versionsOf(ctx, status);
  const { domain } = findAccount(ctx, status.account_id);
  const account = showAccount(ctx, status.account_id);
  const { quote } = showStatus(ctx, viewerId, status.id);
  const quoted = quotedIn(ctx.db, status.id);
  const media = mediaByIds(
    ctx,
    versions.flatMap((version) => version.media.map(({ id }) => id)),
  );
  return versions.map((version) => ({
    content: contentWithQuote({ content: version.content, local: status.local, ...quoted }),
    spoiler_text: version.spoiler_text,
    sensitive: version.sensitive === 1,
    created_at: timestamp(version.created_at),
    account,
    ...(version.poll_options && { poll: { options: version.poll_options.map((title) => ({ title })) } }),
    quote,
    media_attachments: version.media.flatMap(({ id, description }) => {
      const row = media.get(id);
      return row ? [showMedia(ctx, { ...row, description }, domain)] : [];
    }),
    emojis: emojisJson(ctx, domain, [
      version.spoiler_text,
      wordsWithShortcodes(version.content),
      ...(version.poll_options ?? []),
    ]),
  }));
}
