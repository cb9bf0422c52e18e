import { domainToASCII } from "node:url";
import { WORD } from "./hashtags.ts";
import { publicNameLength } from "./urls.ts";

/**
 * A mentioned account: the username as written; the domain in lower case and ASCII, with its port if that is part of it;
 * null if none was written.
 */
export interface Handle {
  username: string;
  domain: string | null;
}

const MAX_USERNAME_LENGTH = 255;
const MAX_DOMAIN_LENGTH = 253;

const MENTION = new RegExp(String.raw`(?<![=\/${WORD}])@(\w+(?:[.\-]+\w+)*)(?:@(${WORD}+(?:[.\-]+${WORD}+)*))?`, "vy");
/** Servers in closed networks have ports in their handles. Those with fewer digits belong to other services. */
const PORT = /:\d{4,5}(?!\w)/uy;
/** A username that continues with letters it cannot have belongs to another network; "@a@b@c" belongs to none. */
const NO_MENTION_BEFORE = /[@＠\p{Script=Latin}\p{M}]|:\/\//uy;

/**
 * The mention whose `@` is at `at`, and its end; null inside words, e-mail addresses and URLs. Other scripts may follow
 * immediately, as Japanese does ("@aliceさん"). Follows Mastodon's MENTION_RE, which has no ports.
 */
export function mentionAt(text: string, at: number): { handle: Handle; end: number } | null {
  MENTION.lastIndex = at;
  const [whole = "", username = "", written = ""] = MENTION.exec(text) ?? [];
  if (username === "" || username.length > MAX_USERNAME_LENGTH) return null;

  const domainLength = publicNameLength(written) || written.length;
  const nameEnd = at + whole.length - written.length + domainLength;
  PORT.lastIndex = nameEnd;
  const port = written === "" ? "" : (PORT.exec(text)?.[0] ?? "");
  const end = nameEnd + port.length;
  NO_MENTION_BEFORE.lastIndex = end;
  if (domainLength > MAX_DOMAIN_LENGTH || NO_MENTION_BEFORE.test(text)) return null;

  const domain = written === "" ? null : domainToASCII(written.slice(0, domainLength));
  return domain === "" ? null : { handle: { username, domain: domain && domain + port }, end };
}
