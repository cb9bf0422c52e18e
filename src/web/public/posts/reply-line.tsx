/** @jsxImportSource preact */
import { visibleAmong } from "../../../core/visibility.ts";
import { showStatuses, type OriginalJson, type StatusJson } from "../../../entities/statuses/statuses.ts";
import type { PageRequest } from "../../page/page-request.tsx";
import { Text } from "../../page/rich-text.tsx";
import { nameOf } from "../author.tsx";
import { postPath } from "../links.ts";
import { publicTexts } from "../texts.ts";

/** Posts by their ids: among them, those to which others reply. */
export type Parents = ReadonlyMap<string, StatusJson>;

/** The posts to which these reply, as far as the viewer may see them. */
export function parentsOf({ ctx, viewerId }: PageRequest, statuses: readonly StatusJson[]): Parents {
  const known = new Map(statuses.map((status) => [status.id, status]));
  const parents = statuses.map((status) => (status.reblog ?? status).in_reply_to_id);
  const missing = new Set(parents.filter((id) => id !== null && !known.has(id)));
  if (missing.size === 0) return known;
  const visible = visibleAmong(ctx, viewerId, [...missing].map(Number));
  for (const parent of showStatuses(ctx, viewerId, visible)) known.set(parent.id, parent);
  return known;
}

interface ReplyLineProps {
  page: PageRequest;
  status: OriginalJson;
  parents: Parents;
  /** The ids of posts above this one: a reply to one of them needs no line. */
  above: readonly (string | undefined)[];
}

/** The post to which a post replies (microformats2: u-in-reply-to). */
export function ReplyLine({ page, status, parents, above }: ReplyLineProps) {
  const parent = status.in_reply_to_id === null ? undefined : parents.get(status.in_reply_to_id);
  if (!parent) return null;
  const path = postPath(page, parent);
  if (above.includes(parent.id)) return <data class="u-in-reply-to" value={path} />;
  const { account } = parent;
  return (
    <p class="help">
      <a class="u-in-reply-to" href={path}>
        <Text as="bdi" text={page.texts(publicTexts).inReplyTo(nameOf(account))} emojis={account.emojis} />
      </a>
    </p>
  );
}
