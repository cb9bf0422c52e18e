import { accept, reject } from "./answer.ts";
import { announce } from "./announce.ts";
import { block } from "./block.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { add, removeItem } from "./featured.ts";
import { flag } from "./flag.ts";
import { follow } from "./follow.ts";
import type { Handler } from "./handler.ts";
import { announceRequest, likeRequest, replyRequest } from "./interaction-requests.ts";
import { like } from "./like.ts";
import { move } from "./move.ts";
import { quoteRequest } from "./quotes.ts";
import { undo } from "./undo.ts";
import { update } from "./update.ts";

/** The types of activities that have an effect here. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ["Accept", accept],
  ["Add", add],
  ["Announce", announce],
  ["AnnounceRequest", announceRequest],
  ["Block", block],
  ["Create", create],
  ["Delete", remove],
  ["EmojiReact", like],
  ["Flag", flag],
  ["Follow", follow],
  ["Like", like],
  ["LikeRequest", likeRequest],
  ["Move", move],
  ["QuoteRequest", quoteRequest],
  ["Reject", reject],
  ["Remove", removeItem],
  ["ReplyRequest", replyRequest],
  ["Undo", undo],
  ["Update", update],
]);

/** Null for a type without effect. */
export function handlerOf(type: string): Handler | null {
  return HANDLERS.get(type) ?? null;
}
