import { idOf, stringOf, isJson, type Json } from "../read/json.ts";
import { readActor, type RemoteActor } from "../read/actor.ts";
import { resolvedPicture } from "./file-names.ts";

/** The account that an archive is about. */
export interface ArchiveOwner {
  uri: string | null;
  url: string | null;
  followers: string | null;
  following: string | null;
  /** Null if the archive has no complete profile. */
  profile: RemoteActor | null;
}

export const UNKNOWN_OWNER: ArchiveOwner = { uri: null, url: null, followers: null, following: null, profile: null };

/** Reads `actor.json`. */
export function readOwner(document: unknown, now: number): ArchiveOwner {
  if (!isJson(document)) return UNKNOWN_OWNER;
  const resolved: Json = { ...document, icon: resolvedPicture(document.icon), image: resolvedPicture(document.image) };
  return {
    uri: idOf(document),
    url: idOf(stringOf(document.url, 2048)),
    followers: idOf(document.followers),
    following: idOf(document.following),
    profile: readActor(resolved, now),
  };
}
