import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { parseNetworks, type Network } from "../http/ip-addresses.ts";
import { parseMailbox, parseMailServer, type Mailbox, type MailServer } from "../mail/mail-server.ts";
import { isLocale } from "../text/languages.ts";

export type SettingName = `LINNET_${string}`;

/** Converts the text of a setting. Throws a UsageError if it is invalid. */
export type Parser<T> = (given: string, name: SettingName) => T;

export const text: Parser<string> = (given) => given;
export const onOrOff = oneOf({ on: true, off: false });
/** Mastodon's words for who can see something. */
export const audience = oneOf({ all: "all", users: "users", disabled: "disabled" });

export function refuse(name: string, given: string, wanted: string): never {
  throw new UsageError(`${name} is "${given}", but should be ${wanted}.`);
}

export function integer(min: number, max: number): Parser<number> {
  return (given, name) => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : -1;
    return number >= min && number <= max ? number : refuse(name, given, `a whole number from ${min} to ${max}`);
  };
}

const UNITS: Record<string, number> = { MB: 1e6, GB: 1e9, TB: 1e12 };

/** A size such as `500 MB`, in bytes. */
export function byteSize(given: string, name: SettingName): number {
  const [, number, unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?) ?([MGT]B)$/i.exec(given) ?? [];
  const bytes = Number(number) * UNITS[unit.toUpperCase()]!;
  return bytes >= UNITS.MB! ? bytes : refuse(name, given, "a size of at least 1 MB, such as 500 MB or 2 GB");
}

/** Other spellings of on and off, which are common in compose files and the settings of other servers. */
const SWITCH_WORDS: Record<string, string> = { true: "on", yes: "on", "1": "on", false: "off", no: "off", "0": "off" };

export function switchWord(given: string): string {
  const word = given.toLowerCase();
  return Object.hasOwn(SWITCH_WORDS, word) ? SWITCH_WORDS[word]! : word;
}

/** Accepts one of these words. If off is among them, other spellings of on and off are accepted too. */
export function oneOf<const T>(choices: Record<string, T>): Parser<T> {
  return (given, name) => {
    const word = "off" in choices ? switchWord(given) : given;
    return Object.hasOwn(choices, word)
      ? choices[word]!
      : refuse(name, given, `one of ${Object.keys(choices).join(", ")}`);
  };
}

/** The origin of an address that others use. @throws UsageError */
export function publicOrigin(given: string, name: string): string {
  const url = URL.canParse(given) ? new URL(given) : refuse(name, given, "an address like https://example.org");
  const bare = url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  if (!/^https?:$/.test(url.protocol) || !bare) {
    refuse(name, given, "http:// or https:// with a host and nothing after it");
  }
  return url.origin;
}

/** @throws UsageError */
export function handleDomain(given: string, name: string): string {
  const domain = given.toLowerCase();
  return URL.canParse(`https://${domain}`) && new URL(`http://${domain}`).host === domain
    ? domain
    : refuse(name, given, "a domain like example.org");
}

export function serviceUrl(given: string, name: SettingName): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    refuse(name, given, "an address like https://example.org or http://127.0.0.1:5000");
  }
  return url.href.replace(/\/+$/, "");
}

/** Compared with the provider's own spelling, so it stays as it is. */
export function issuer(given: string, name: SettingName): string {
  serviceUrl(given, name);
  return given;
}

/** The value is not in the message: it may have a password. */
export function mailServer(given: string, name: SettingName): MailServer {
  const server = parseMailServer(given);
  if (server) return server;
  throw new UsageError(
    `${name} should be an address like smtps://user:password@mail.example.org. In the name and the password, write characters such as @, : and / with a percent sign (%40, %3A, %2F).`,
  );
}

export function mailbox(given: string, name: SettingName): Mailbox {
  return (
    parseMailbox(given) ?? refuse(name, given, "an address like linnet@example.org or Linnet <linnet@example.org>")
  );
}

export function proxies(given: string, name: SettingName): readonly Network[] {
  if (given === "none") return [];
  return parseNetworks(given) ?? refuse(name, given, "addresses or networks, or none");
}

export function languages(given: string, name: SettingName): readonly string[] {
  return given.split(",").map((part) => {
    const code = part.trim();
    return isLocale(code) ? code : refuse(name, given, "codes like en,de");
  });
}

/** A folder with a built web client. */
export const webClient: Parser<string> = (given, name) => {
  const folder = resolve(given);
  return existsSync(join(folder, "index.html"))
    ? folder
    : refuse(name, given, "the folder of a built web client, with an index.html");
};
