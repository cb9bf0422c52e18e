import { resolve } from "node:path";
import { UsageError } from "./errors.ts";
import { isLocale } from "./lib/languages.ts";
import type { LibreTranslateSettings } from "./lib/libretranslate.ts";
import { parseNetworks, type Network } from "./lib/addresses.ts";

/** How many calls are allowed within how many seconds. */
export interface Allowance {
  calls: number;
  seconds: number;
}

export type LimitName = "account" | "address" | "pages" | "media" | "deletes" | "sign_in" | "registrations";
export type Limits = Record<LimitName, Allowance> & {
  /** How many streams one person may have open at once. */
  streams: number;
};

/** Who may read something, in Mastodon's words. */
const AUDIENCES = { all: "all", users: "users", disabled: "disabled" } as const;
type Audience = keyof typeof AUDIENCES;

/** Where a server is reached. It is part of every handle and of the URI of everything on the server. */
export interface Address {
  /** Public origin without a trailing slash, `https://example.org`. */
  origin: string;
  /** The domain in handles: `@name@handleDomain`. */
  handleDomain: string;
}

export interface Config extends Address {
  /** What LINNET_URL and LINNET_HANDLE_DOMAIN say; null where they are not set, so that the stored address counts. */
  asked: { [Part in keyof Address]: Address[Part] | null };
  host: string;
  port: number;
  /** Absolute path of the data folder. */
  data: string;
  trustedProxies: Network[];
  /** Whether what is fetched from outside may lie at a private or loopback address. */
  allowPrivateAddresses: boolean;
  /** Null when limits are off. */
  limits: Limits | null;
  synchronous: "FULL" | "NORMAL";
  title: string;
  description: string;
  contactEmail: string;
  /** The name of somebody here; empty for the owner. */
  contactAccount: string;
  languages: string[];
  maxCharacters: number;
  /** Whether search also finds public statuses that the searcher has no part in. */
  searchPublic: boolean;
  /** Whether trends are shown: all, those that were approved, or none. */
  trends: "on" | "review" | "off";
  /** Whether strangers may look into the public timelines. */
  publicPreview: boolean;
  /** Whether strangers are kept out of everything but what leads to signing in. */
  limitedFederation: boolean;
  /** Whether the servers that this one knows of, and what goes on here week by week, are told to whoever asks. */
  peers: boolean;
  activity: boolean;
  /** Who may read which domains are blocked: everybody, people of this server, or nobody; and why they are. */
  showDomainBlocks: Audience;
  showDomainBlocksRationale: Audience;
  /** Who may make an account through an app: nobody, everybody, or whom the owner approves. */
  registrations: "closed" | "open" | "approval";
  /** Null where nothing translates. */
  libreTranslate: LibreTranslateSettings | null;
  /** Absolute path of the program that converts video and sound; null when there is none. */
  ffmpeg: string | null;
  logLevel: "debug" | "info" | "warning" | "error";
  logFormat: "text" | "json";
}

export interface Setting {
  name: `LINNET_${string}`;
  /** As written in the README's table; empty when there is none. */
  fallback: string;
  meaning: string;
}

/** The limits of Mastodon's documentation (api/rate-limits), and our own for pages and for guessing passwords. */
const DEFAULT_LIMITS: Limits = {
  account: { calls: 300, seconds: 300 },
  address: { calls: 300, seconds: 300 },
  pages: { calls: 600, seconds: 300 },
  media: { calls: 30, seconds: 1800 },
  deletes: { calls: 30, seconds: 1800 },
  sign_in: { calls: 10, seconds: 300 },
  registrations: { calls: 5, seconds: 1800 },
  streams: 100,
};

/** Every setting there is. The README's table is held against this list by a test. */
export const SETTINGS: Setting[] = [
  {
    name: "LINNET_URL",
    fallback: "the stored one, or http://localhost:3000",
    meaning: "Public address, as people and apps reach it; stored with the first account, and can't change then",
  },
  {
    name: "LINNET_HANDLE_DOMAIN",
    fallback: "the URL's host",
    meaning: "Domain in handles; stored with the first account, too",
  },
  { name: "LINNET_HOST", fallback: "127.0.0.1", meaning: "Address to listen on" },
  { name: "LINNET_PORT", fallback: "3000", meaning: "Port to listen on; 0 takes a free one" },
  { name: "LINNET_DATA", fallback: "./linnet-data", meaning: "Folder for the database, `media/` and `cache/`" },
  {
    name: "LINNET_TRUSTED_PROXIES",
    fallback: "127.0.0.1,::1",
    meaning: "Proxies whose `X-Forwarded-For` is believed: addresses and networks, or `none`",
  },
  {
    name: "LINNET_ALLOW_PRIVATE_ADDRESSES",
    fallback: "off",
    meaning: "`on`: what it fetches may lie at private and loopback addresses, for tests and closed networks",
  },
  {
    name: "LINNET_RATE_LIMITS",
    fallback: "on",
    meaning:
      "`on`, `off`, or changes such as `account=600/300,streams=200` (calls per seconds, streams at once); also `address`, `pages`, `media`, `deletes`, `sign_in` and `registrations`",
  },
  {
    name: "LINNET_SQLITE_SYNCHRONOUS",
    fallback: "full",
    meaning: "`full` survives a power cut; `normal` is faster and may lose the last moments in one",
  },
  { name: "LINNET_TITLE", fallback: "Linnet", meaning: "Name of the server, shown in apps" },
  { name: "LINNET_DESCRIPTION", fallback: "A small place on the fediverse.", meaning: "A sentence about the server" },
  { name: "LINNET_CONTACT_EMAIL", fallback: "", meaning: "Public contact address" },
  { name: "LINNET_CONTACT_ACCOUNT", fallback: "the owner", meaning: "Name of the person here to turn to" },
  { name: "LINNET_LANGUAGES", fallback: "en", meaning: "Languages of the server, most important first" },
  { name: "LINNET_MAX_CHARACTERS", fallback: "5000", meaning: "Longest post" },
  {
    name: "LINNET_SEARCH",
    fallback: "library",
    meaning: "`library` finds posts one has a part in; `public` also public ones by people who want to be found",
  },
  {
    name: "LINNET_TRENDS",
    fallback: "on",
    meaning: "`on` shows what trends here, `review` what `linnet trends approve` has let through, `off` nothing",
  },
  {
    name: "LINNET_PUBLIC_PREVIEW",
    fallback: "on",
    meaning: "`off`: public timelines, hashtags among them, are only for apps that show a token",
  },
  {
    name: "LINNET_LIMITED_FEDERATION",
    fallback: "off",
    meaning: "`on`: whatever is here is only for people who live here, public posts and profiles too",
  },
  {
    name: "LINNET_PEERS",
    fallback: "on",
    meaning: "`off`: nobody is told which other servers this one knows",
  },
  {
    name: "LINNET_ACTIVITY",
    fallback: "on",
    meaning: "`off`: nobody is told how many people were here each week, and how much they posted",
  },
  {
    name: "LINNET_SHOW_DOMAIN_BLOCKS",
    fallback: "disabled",
    meaning: "Who may read which domains you block: `all`, `users` (who have an account here) or `disabled` (nobody)",
  },
  {
    name: "LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE",
    fallback: "disabled",
    meaning: "Who may read your public comments on them: `all`, `users` or `disabled`",
  },
  {
    name: "LINNET_REGISTRATIONS",
    fallback: "closed",
    meaning: "Who may sign up through an app: `closed` (nobody), `open`, or `approval` (whom you approve)",
  },
  {
    name: "LINNET_LIBRETRANSLATE_URL",
    fallback: "",
    meaning:
      "LibreTranslate server that translates posts, on this machine or elsewhere; without one nothing is translated",
  },
  { name: "LINNET_LIBRETRANSLATE_KEY", fallback: "", meaning: "API key of that server, if it wants one" },
  {
    name: "LINNET_FFMPEG",
    fallback: "the one in PATH",
    meaning: "Makes video and sound playable everywhere: the path of a program, or `off`",
  },
  { name: "LINNET_LOG_LEVEL", fallback: "info", meaning: "`debug` (each request), `info`, `warning` or `error`" },
  {
    name: "LINNET_LOG_FORMAT",
    fallback: "text",
    meaning: "`text`, or `json`: an object a line, of requests with path, status, duration and user id",
  },
];

type Env = Record<string, string | undefined>;

/**
 * Reads the settings from an environment. A name that starts with LINNET_ and that we don't know, or a value that
 * can't be used, is refused by name: a typo must not become a default.
 */
export function readConfig(env: Env): Config {
  refuseUnknown(env);
  const value = (name: Setting["name"]) => env[name]?.trim() || undefined;
  const port = integer("LINNET_PORT", value("LINNET_PORT") ?? "3000", 0, 65535);
  const asked = askedAddress(value("LINNET_URL"), value("LINNET_HANDLE_DOMAIN"));
  return {
    ...addressOf(asked, port),
    asked,
    host: value("LINNET_HOST") ?? "127.0.0.1",
    port,
    data: resolve(value("LINNET_DATA") ?? "linnet-data"),
    trustedProxies: proxies(value("LINNET_TRUSTED_PROXIES") ?? "127.0.0.1,::1"),
    allowPrivateAddresses: choice("LINNET_ALLOW_PRIVATE_ADDRESSES", value("LINNET_ALLOW_PRIVATE_ADDRESSES") ?? "off", {
      off: false,
      on: true,
    }),
    limits: limits(value("LINNET_RATE_LIMITS") ?? "on"),
    synchronous: choice("LINNET_SQLITE_SYNCHRONOUS", value("LINNET_SQLITE_SYNCHRONOUS") ?? "full", {
      full: "FULL",
      normal: "NORMAL",
    }),
    title: value("LINNET_TITLE") ?? "Linnet",
    description: value("LINNET_DESCRIPTION") ?? "A small place on the fediverse.",
    contactEmail: value("LINNET_CONTACT_EMAIL") ?? "",
    contactAccount: (value("LINNET_CONTACT_ACCOUNT") ?? "").replace(/^@/, ""),
    languages: (value("LINNET_LANGUAGES") ?? "en").split(",").map(language),
    maxCharacters: integer("LINNET_MAX_CHARACTERS", value("LINNET_MAX_CHARACTERS") ?? "5000", 1, 100_000),
    searchPublic: choice("LINNET_SEARCH", value("LINNET_SEARCH") ?? "library", { library: false, public: true }),
    trends: choice("LINNET_TRENDS", value("LINNET_TRENDS") ?? "on", { on: "on", review: "review", off: "off" }),
    publicPreview: choice("LINNET_PUBLIC_PREVIEW", value("LINNET_PUBLIC_PREVIEW") ?? "on", { on: true, off: false }),
    limitedFederation: choice("LINNET_LIMITED_FEDERATION", value("LINNET_LIMITED_FEDERATION") ?? "off", {
      off: false,
      on: true,
    }),
    peers: choice("LINNET_PEERS", value("LINNET_PEERS") ?? "on", { on: true, off: false }),
    activity: choice("LINNET_ACTIVITY", value("LINNET_ACTIVITY") ?? "on", { on: true, off: false }),
    showDomainBlocks: choice("LINNET_SHOW_DOMAIN_BLOCKS", value("LINNET_SHOW_DOMAIN_BLOCKS") ?? "disabled", AUDIENCES),
    showDomainBlocksRationale: choice(
      "LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE",
      value("LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE") ?? "disabled",
      AUDIENCES,
    ),
    registrations: choice("LINNET_REGISTRATIONS", value("LINNET_REGISTRATIONS") ?? "closed", {
      closed: "closed",
      open: "open",
      approval: "approval",
    }),
    libreTranslate: libreTranslate(value("LINNET_LIBRETRANSLATE_URL"), value("LINNET_LIBRETRANSLATE_KEY")),
    ffmpeg: ffmpeg(value("LINNET_FFMPEG"), env.PATH),
    logLevel: choice("LINNET_LOG_LEVEL", value("LINNET_LOG_LEVEL") ?? "info", {
      debug: "debug",
      info: "info",
      warning: "warning",
      error: "error",
    }),
    logFormat: choice("LINNET_LOG_FORMAT", value("LINNET_LOG_FORMAT") ?? "text", { text: "text", json: "json" }),
  };
}

function refuseUnknown(env: Env): void {
  const known = new Set<string>(SETTINGS.map((setting) => setting.name));
  for (const name of Object.keys(env)) {
    if (name.startsWith("LINNET_") && !known.has(name)) {
      throw new UsageError(`${name} is not a setting of Linnet. See the table in the README for those there are.`);
    }
  }
}

function refuse(name: Setting["name"], given: string, wanted: string): never {
  throw new UsageError(`${name} is "${given}", but should be ${wanted}.`);
}

function integer(name: Setting["name"], given: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : -1;
  return number >= min && number <= max ? number : refuse(name, given, `a whole number from ${min} to ${max}`);
}

function choice<T>(name: Setting["name"], given: string, choices: Record<string, T>): T {
  const wanted = Object.keys(choices);
  return Object.hasOwn(choices, given) ? choices[given]! : refuse(name, given, `one of ${wanted.join(", ")}`);
}

function askedAddress(url: string | undefined, domain: string | undefined): Config["asked"] {
  return { origin: url ? publicUrl(url).origin : null, handleDomain: domain ? handleDomain(domain) : null };
}

/** The address that is asked for; on this machine alone when none is. */
export function addressOf(asked: Config["asked"], port: number): Address {
  const origin = asked.origin ?? `http://localhost:${port || 3000}`;
  return { origin, handleDomain: asked.handleDomain ?? new URL(origin).host };
}

function publicUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : refuse("LINNET_URL", given, "an address like https://example.org");
  const bare = url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  if (!/^https?:$/.test(url.protocol) || !bare) {
    refuse("LINNET_URL", given, "http:// or https:// with a host and nothing after it");
  }
  return url;
}

function libreTranslate(given: string | undefined, key: string | undefined): LibreTranslateSettings | null {
  if (given === undefined) {
    if (key) throw new UsageError("LINNET_LIBRETRANSLATE_KEY is for a server that LINNET_LIBRETRANSLATE_URL names.");
    return null;
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    refuse("LINNET_LIBRETRANSLATE_URL", given, "an address like http://127.0.0.1:5000");
  }
  return { url: url.href.replace(/\/+$/, ""), key: key ?? "" };
}

function handleDomain(given: string): string {
  const domain = given.toLowerCase();
  return URL.canParse(`https://${domain}`) && new URL(`http://${domain}`).host === domain
    ? domain
    : refuse("LINNET_HANDLE_DOMAIN", given, "a domain like example.org");
}

function proxies(given: string): Network[] {
  if (given === "none") return [];
  return parseNetworks(given) ?? refuse("LINNET_TRUSTED_PROXIES", given, "addresses or networks, or none");
}

function limits(given: string): Limits | null {
  if (given === "off") return null;
  const result: Limits = { ...DEFAULT_LIMITS };
  if (given === "on") return result;
  for (const part of given.split(",")) {
    const [, name, count, seconds] = /^\s*(\w+)=(\d{1,7})(?:\/(\d{1,7}))?\s*$/.exec(part) ?? [];
    const isKnown =
      name !== undefined && Object.hasOwn(result, name) && (name === "streams") === (seconds === undefined);
    if (!isKnown || Number(count) === 0 || Number(seconds) === 0)
      refuse("LINNET_RATE_LIMITS", given, limitsWanted(result));
    if (name === "streams") result.streams = Number(count);
    else result[name as LimitName] = { calls: Number(count), seconds: Number(seconds) };
  }
  return result;
}

function limitsWanted({ streams, ...others }: Limits): string {
  return `on, off, NAME=CALLS/SECONDS with ${Object.keys(others).join(", ")}, or streams=${streams}`;
}

/** Without the setting it is used where it is found: nobody who lacks it is told. */
function ffmpeg(given: string | undefined, path = ""): string | null {
  if (given === "off") return null;
  const found = Bun.which(given ?? "ffmpeg", { PATH: path });
  if (found === null && given !== undefined) refuse("LINNET_FFMPEG", given, "the path of a program, or off");
  return found && resolve(found);
}

function language(given: string): string {
  const code = given.trim();
  return isLocale(code) ? code : refuse("LINNET_LANGUAGES", given, "codes like en,de");
}
