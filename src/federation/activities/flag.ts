import { receiveReport } from "../../core/moderation/reports.ts";
import { cleanText } from "../../lib/text/invisible.ts";
import { idsOf, listOf, stringOf } from "../read/json.ts";
import type { Handler } from "./handler.ts";

/** As many as a user here may report at once. */
const MAX_OBJECTS = 500;
const MAX_COMMENT = 5000;

/** A report by another server about a local account and its statuses. Lemmy has the comment, a plain text, in `summary`. */
export const flag: Handler = (ctx, sender, { id: uri, raw }) => {
  if (listOf(raw.object).length > MAX_OBJECTS) return null;
  const about = idsOf(raw.object, MAX_OBJECTS);
  const comment = commentOf(raw.content) || commentOf(raw.summary);
  return (tx) => receiveReport(ctx, tx, { uri, reporterId: sender.id, about, comment });
};

function commentOf(text: unknown): string {
  return cleanText(stringOf(text, MAX_COMMENT), MAX_COMMENT);
}
