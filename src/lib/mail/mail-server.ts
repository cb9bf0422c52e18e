/** The server that sends this server's e-mails. */
export interface MailServer {
  host: string;
  port: number;
  /** `tls` encrypts from the start (smtps); with the first two, nothing is sent unencrypted. */
  encryption: "tls" | "starttls" | "none";
  login: { user: string; password: string } | null;
}

/** The server's name as error messages and the job list show it: without the login. */
export function shownServer({ host, port }: MailServer): string {
  return `${host}:${port}`;
}

/**
 * Parses an address such as `smtps://user:password@mail.example.org`; null if it is none. Connections are encrypted, except
 * those to this machine, and with `?tls=off`.
 */
export function parseMailServer(text: string): MailServer | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSecure = url.protocol === "smtps:";
  const isPlain = url.search === "?tls=off";
  const isBare = /^\/?$/.test(url.pathname) && !url.hash && (url.search === "" || isPlain);
  if ((!isSecure && url.protocol !== "smtp:") || url.hostname === "" || !isBare || (isSecure && isPlain)) return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const login = loginOf(url);
  if (login === undefined) return null;
  return {
    host,
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    encryption: isSecure ? "tls" : isPlain || isThisMachine(host) ? "none" : "starttls",
    login,
  };
}

/** Undefined for a login that is not encoded correctly, or has only a name or only a password. */
function loginOf({ username, password }: URL): MailServer["login"] | undefined {
  if (username === "" && password === "") return null;
  if (username === "" || password === "") return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** An e-mail address with an optional name. */
export interface Mailbox {
  name: string;
  address: string;
}

/**
 * An address that can be in the header of an e-mail without quotes. Handles, which can be stored as e-mail addresses,
 * have a port on some servers.
 */
const ADDRESS = /^[^\s@"(),:;<>[\]\\\p{Cc}]{1,64}@[^\s@"(),:;<>[\]\\\p{Cc}]{1,255}$/u;

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Parses `me@example.org` or `Name <me@example.org>`; null if it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name = "", bracketed] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = bracketed ?? text;
  return isMailAddress(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : null;
}
