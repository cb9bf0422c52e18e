import { countOf, dateOf, objectsOf, totalOf, type Json } from "./json.ts";
import { plainTextOf, rawNameOf } from "./text.ts";

export interface RemotePoll {
  multiple: boolean;
  /** The titles are as sent, because a vote names the option by its title. */
  options: { title: string; votes: number }[];
  votersCount: number | null;
  /** May be in the future. Null if the poll has no end. */
  expiresAt: number | null;
  /** Null while the poll is open, as far as its server says. */
  closedAt: number | null;
}

const MAX_OPTIONS = 100;

/** The poll of a Question; null if it has no options. */
export function pollOf(json: Json, now: number): RemotePoll | null {
  // Pleroma sends both lists, one of them empty.
  const anyOf = optionsOf(json.anyOf);
  const options = anyOf.length > 0 ? anyOf : optionsOf(json.oneOf);
  if (options.length === 0) return null;
  const closed = json.closed === true ? now : dateOf(json.closed);
  const end = dateOf(json.endTime);
  return {
    multiple: anyOf.length > 0,
    options,
    votersCount: countOf(json.votersCount),
    expiresAt: end ?? closed,
    closedAt: closed !== null && closed <= now ? closed : null,
  };
}

function optionsOf(value: unknown): RemotePoll["options"] {
  return objectsOf(value)
    .slice(0, MAX_OPTIONS)
    .flatMap((option) => {
      const title = rawNameOf(option.name) || plainTextOf(option.content, 2048);
      const votes = totalOf(option.replies) ?? countOf(option._misskey_votes) ?? 0;
      return title.trim() === "" ? [] : [{ title, votes }];
    });
}
