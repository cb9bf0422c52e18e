import { resolve } from "node:path";
import { UsageError } from "./errors.ts";
import type { LibreTranslateSettings } from "./lib/http/libretranslate.ts";
import type { Mailbox, MailServer } from "./lib/mail/mail-server.ts";
import type { MailSettings } from "./lib/mail/mailer.ts";
import type { ProviderSettings } from "./lib/openid/provider.ts";
import { providersOf, type ProviderValues } from "./lib/settings/providers.ts";
import {
  audience,
  byteSize,
  handleDomain,
  integer,
  issuer,
  languages,
  mailbox,
  mailServer,
  oneOf,
  onOrOff,
  proxies,
  publicOrigin,
  refuse,
  serviceUrl,
  switchWord,
  text,
  webClient,
  type Parser,
  type SettingName,
} from "./lib/settings/parsers.ts";

/** A rate limit: the number of calls in a number of seconds. */
export interface Allowance {
  readonly calls: number;
  readonly seconds: number;
}

export type LimitName = "account" | "address" | "pages" | "media" | "deletes" | "sign_in" | "registrations";
export type Limits = Readonly<Record<LimitName, Allowance>> & {
  /** Concurrent streams of one user. */
  readonly streams: number;
};

/** The public address of a server. It is part of every handle and URI. */
export interface Address {
  /** Public origin without a trailing slash, `https://example.org`. */
  readonly origin: string;
  /** The domain in handles: `@name@handleDomain`. */
  readonly handleDomain: string;
}

/** The limits of Mastodon's documentation (api/rate-limits), and Linnet's own for pages and failed sign-ins. */
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

interface Setting<T> {
  name: SettingName;
  /** The default in Markdown, as docs/settings.md shows it. */
  fallback: string;
  /** The description in docs/settings.md, in Markdown. */
  meaning: string;
  read(given: string | undefined): T;
}

/** A setting with a default value. */
function setting<T>(name: SettingName, value: string, parse: Parser<T>, meaning: string): Setting<T> {
  const fallback = value && `\`${value}\``;
  return { name, fallback, meaning, read: (given) => parse(given ?? value, name) };
}

/** A setting that is null if unset; `fallback` describes what applies then. */
function optional<T>(name: SettingName, fallback: string, parse: Parser<T>, meaning: string): Setting<T | null> {
  return { name, fallback, meaning, read: (given) => (given === undefined ? null : parse(given, name)) };
}

/** Every setting: its name in the environment, its default, its parser and its meaning. docs/settings.md lists them. */
const TABLE = {
  url: optional(
    "LINNET_URL",
    "the stored one, or `http://localhost:3000`",
    publicOrigin,
    "Public address of the server; stored with the first account, and fixed from then on",
  ),
  domain: optional(
    "LINNET_HANDLE_DOMAIN",
    "the URL's host",
    handleDomain,
    "Domain in handles; also stored with the first account",
  ),
  host: setting("LINNET_HOST", "127.0.0.1", text, "Address to listen on"),
  port: setting("LINNET_PORT", "3000", integer(0, 65535), "Port to listen on; 0 picks a free one"),
  data: setting(
    "LINNET_DATA",
    "./linnet-data",
    (given) => resolve(given),
    "Folder for the database, `media/` and `cache/`",
  ),
  cacheSize: setting(
    "LINNET_CACHE_SIZE",
    "2 GB",
    byteSize,
    "Maximum size of the copies of other servers' media in `cache/`, in MB, GB or TB; the files shown least recently are removed",
  ),
  cacheDays: setting(
    "LINNET_CACHE_DAYS",
    "14",
    integer(1, 36_500),
    "Days after which such a copy is removed if it was not shown",
  ),
  remotePostsDays: setting(
    "LINNET_REMOTE_POSTS_DAYS",
    "180",
    integer(0, 36_500),
    "Days after which other servers' posts are removed, if no local user has to do with them or their thread; 0 keeps all",
  ),
  trustedProxies: setting(
    "LINNET_TRUSTED_PROXIES",
    "127.0.0.1,::1",
    proxies,
    "Proxies whose `X-Forwarded-For` header is trusted: addresses and networks, or `none`",
  ),
  allowPrivateAddresses: setting(
    "LINNET_ALLOW_PRIVATE_ADDRESSES",
    "off",
    onOrOff,
    "`on` allows requests to private and loopback addresses, for tests and closed networks; without it, servers on one machine don't find each other",
  ),
  limits: setting(
    "LINNET_RATE_LIMITS",
    "on",
    limits,
    "`on`, `off`, or changes to the [rate limits](#rate-limits) such as `account=600/300,streams=200`",
  ),
  synchronous: setting(
    "LINNET_SQLITE_SYNCHRONOUS",
    "full",
    oneOf({ full: "FULL", normal: "NORMAL" }),
    "`full` survives a power failure; `normal` is faster, but a power failure may lose the last few moments",
  ),
  title: setting("LINNET_TITLE", "Linnet", text, "Name of the server, shown in apps"),
  description: setting("LINNET_DESCRIPTION", "A small place on the fediverse.", text, "One sentence about the server"),
  contactEmail: setting("LINNET_CONTACT_EMAIL", "", text, "Public e-mail address of the contact person"),
  contactAccount: optional(
    "LINNET_CONTACT_ACCOUNT",
    "the owner",
    (given) => given.replace(/^@/, ""),
    "Username of the contact person",
  ),
  languages: setting("LINNET_LANGUAGES", "en", languages, "Languages of the server, most important first"),
  maxCharacters: setting(
    "LINNET_MAX_CHARACTERS",
    "5000",
    integer(1, 100_000),
    "Maximum length of a post in characters",
  ),
  searchPublic: setting(
    "LINNET_SEARCH",
    "library",
    oneOf({ library: false, public: true }),
    "`library` finds posts you wrote, were mentioned in, favourited, bookmarked or boosted; `public` also finds public posts by people who allow it",
  ),
  trends: setting(
    "LINNET_TRENDS",
    "on",
    oneOf({ on: "on", review: "review", off: "off" }),
    "`on` shows trends, `review` only those approved with `linnet trends approve`, `off` none",
  ),
  publicPreview: setting(
    "LINNET_PUBLIC_PREVIEW",
    "on",
    onOrOff,
    "`off`: only signed-in users can see public timelines and hashtags",
  ),
  limitedFederation: setting(
    "LINNET_LIMITED_FEDERATION",
    "off",
    onOrOff,
    "`on`: only signed-in users can see anything, including public posts and profiles",
  ),
  secureFetch: setting(
    "LINNET_SECURE_FETCH",
    "off",
    onOrOff,
    "`on`: other servers must sign their requests for posts and profiles, so that those you block get neither; pages and apps are unaffected",
  ),
  peers: setting("LINNET_PEERS", "on", onOrOff, "`off` hides the list of other servers that this one knows"),
  activity: setting("LINNET_ACTIVITY", "on", onOrOff, "`off` hides the weekly counts of active users and posts"),
  showDomainBlocks: setting(
    "LINNET_SHOW_DOMAIN_BLOCKS",
    "disabled",
    audience,
    "Who can see the list of blocked domains: `all`, `users` (signed-in users) or `disabled` (no one)",
  ),
  showDomainBlocksRationale: setting(
    "LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE",
    "disabled",
    audience,
    "Who can see your public comments on these blocks: `all`, `users` or `disabled`",
  ),
  holdMentionFloods: setting(
    "LINNET_HOLD_MENTION_FLOODS",
    "off",
    onOrOff,
    "`on` limits an account of another server whose posts mention more than 20 local strangers within an hour, holds its notifications back, and reports it to the moderators",
  ),
  webClient: optional(
    "LINNET_WEB_CLIENT",
    "",
    webClient,
    "Folder of a built [web client](deployment.md#a-web-client) for Mastodon, served under `/client/`",
  ),
  registrations: setting(
    "LINNET_REGISTRATIONS",
    "closed",
    oneOf({ closed: "closed", open: "open", approval: "approval" }),
    "Who can sign up through an app: `closed` (no one), `open` (anyone), or `approval` (anyone, after you approve)",
  ),
  invitations: setting(
    "LINNET_INVITATIONS",
    "staff",
    oneOf({ staff: "staff", users: "users", off: "off" }),
    "Who can invite others to sign up without approval: `staff` (owners, admins and moderators), `users` (everyone here) or `off` (no one)",
  ),
  libreTranslateUrl: optional(
    "LINNET_LIBRETRANSLATE_URL",
    "",
    serviceUrl,
    "Address of the LibreTranslate server that translates posts, such as `http://127.0.0.1:5000`; translation is off without one",
  ),
  libreTranslateKey: optional("LINNET_LIBRETRANSLATE_KEY", "", text, "API key of that server, if it requires one"),
  smtpUrl: optional(
    "LINNET_SMTP_URL",
    "",
    mailServer,
    "Mail server that sends this server's [e-mails](deployment.md#e-mail), such as `smtps://user:password@mail.example.org`, or `smtp://` for STARTTLS; without one, none are sent",
  ),
  smtpFrom: optional(
    "LINNET_SMTP_FROM",
    "",
    mailbox,
    "Sender of these e-mails, such as `Linnet <linnet@example.org>`; required with `LINNET_SMTP_URL`",
  ),
  passwordSignIn: setting(
    "LINNET_PASSWORD_SIGN_IN",
    "on",
    onOrOff,
    "`off`: users sign in only with [identity providers](deployment.md#identity-providers) or passkeys; needs an owner who can",
  ),
  oidcIssuer: optional(
    "LINNET_OIDC_ISSUER",
    "",
    issuer,
    "Issuer of an OpenID Connect provider with which users can sign in, such as `https://id.example.org`",
  ),
  oidcName: optional("LINNET_OIDC_NAME", "the issuer's host", text, "Name of this provider, shown to users"),
  oidcClientId: optional("LINNET_OIDC_CLIENT_ID", "", text, "Client id that this provider has assigned to your server"),
  oidcClientSecret: optional("LINNET_OIDC_CLIENT_SECRET", "", text, "Client secret of this provider"),
  githubClientId: optional(
    "LINNET_GITHUB_CLIENT_ID",
    "",
    text,
    "Client id of an OAuth app on GitHub, for signing in with it",
  ),
  githubClientSecret: optional("LINNET_GITHUB_CLIENT_SECRET", "", text, "Client secret of this app"),
  githubUrl: setting(
    "LINNET_GITHUB_URL",
    "https://github.com",
    serviceUrl,
    "Another address for a GitHub Enterprise Server",
  ),
  googleClientId: optional("LINNET_GOOGLE_CLIENT_ID", "", text, "Client id for signing in with Google"),
  googleClientSecret: optional("LINNET_GOOGLE_CLIENT_SECRET", "", text, "Client secret of this client"),
  ffmpeg: optional(
    "LINNET_FFMPEG",
    "the one in `PATH`",
    text,
    "Path of the ffmpeg that converts video and audio to formats every app can play, or `off`",
  ),
  logLevel: setting(
    "LINNET_LOG_LEVEL",
    "info",
    oneOf({ debug: "debug", info: "info", warning: "warning", error: "error" }),
    "`debug` (includes every request), `info`, `warning` or `error`",
  ),
  logFormat: setting(
    "LINNET_LOG_FORMAT",
    "text",
    oneOf({ text: "text", json: "json" }),
    "`text`, or `json`: one object per line; those for requests have path, status, duration and user id",
  ),
};

export const SETTINGS: readonly Setting<unknown>[] = Object.values(TABLE);

type Values = { readonly [Key in keyof typeof TABLE]: ReturnType<(typeof TABLE)[Key]["read"]> };

/** Settings that a config has only as a part of others. */
type Combined =
  | "url"
  | "domain"
  | "libreTranslateUrl"
  | "libreTranslateKey"
  | "smtpUrl"
  | "smtpFrom"
  | "ffmpeg"
  | keyof ProviderValues;

/** The settings of a server: the values of the table, and values derived from several of them. Frozen. */
export interface Config extends Address, Omit<Values, Combined> {
  /** LINNET_URL and LINNET_HANDLE_DOMAIN; null if unset: then the stored address applies. */
  readonly asked: { readonly [Part in keyof Address]: Address[Part] | null };
  /** Null if translation is off. */
  readonly libreTranslate: Readonly<LibreTranslateSettings> | null;
  /** Null if this server sends no e-mails. */
  readonly mail: Readonly<MailSettings> | null;
  /** The identity providers with which users can sign in. */
  readonly providers: readonly Readonly<ProviderSettings>[];
  /** Absolute path of ffmpeg; null if there is none or it is off. */
  readonly ffmpeg: string | null;
}

type Env = Record<string, string | undefined>;

/**
 * Reads the settings from an environment.
 * @throws UsageError for an invalid value, and for an unknown name with the prefix LINNET_: a typo must not select a default
 */
export function readConfig(env: Env): Config {
  refuseUnknown(env);
  const read = Object.entries(TABLE).map(([key, { name, read }]) => [key, read(env[name]?.trim() || undefined)]);
  const { url, domain, libreTranslateUrl, libreTranslateKey, smtpUrl, smtpFrom, ffmpeg, ...others } =
    Object.fromEntries(read) as Values;
  const [providers, values] = providersOf(others);
  const asked = { origin: url, handleDomain: domain };
  return frozen({
    ...values,
    ...addressOf(asked, values.port),
    asked,
    libreTranslate: libreTranslate(libreTranslateUrl, libreTranslateKey),
    mail: mail(smtpUrl, smtpFrom),
    providers,
    ffmpeg: ffmpegOf(ffmpeg, env.PATH),
  });
}

/** The same settings with another address. */
export function withAddress(config: Config, { origin, handleDomain }: Address): Config {
  return frozen({ ...config, origin, handleDomain });
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

function refuseUnknown(env: Env): void {
  const known = new Set<string>(SETTINGS.map(({ name }) => name));
  for (const name of Object.keys(env)) {
    if (name.startsWith("LINNET_") && !known.has(name)) {
      throw new UsageError(`There is no setting ${name}. docs/settings.md lists all settings.`);
    }
  }
}

/** The configured address; without one, an address that only works on this machine. */
export function addressOf(asked: Config["asked"], port: number): Address {
  const origin = asked.origin ?? `http://localhost:${port || 3000}`;
  return { origin, handleDomain: asked.handleDomain ?? new URL(origin).host };
}

function libreTranslate(url: string | null, key: string | null): LibreTranslateSettings | null {
  if (url !== null) return { url, key: key ?? "" };
  if (key === null) return null;
  throw new UsageError("LINNET_LIBRETRANSLATE_KEY needs LINNET_LIBRETRANSLATE_URL. Set both, or neither.");
}

function mail(server: MailServer | null, from: Mailbox | null): MailSettings | null {
  if (server && from) return { server, from };
  if (!server && !from) return null;
  throw new UsageError("LINNET_SMTP_URL and LINNET_SMTP_FROM need each other. Set both, or neither.");
}

function limits(given: string, name: SettingName): Limits | null {
  const word = switchWord(given);
  if (word === "off") return null;
  if (word === "on") return DEFAULT_LIMITS;
  return given.split(",").reduce((changed, part) => ({ ...changed, ...limit(part, given, name) }), DEFAULT_LIMITS);
}

/** A part such as `account=600/300`. */
function limit(part: string, given: string, name: SettingName): Partial<Limits> {
  const [, key = "", count, seconds] = /^\s*(\w+)=(\d{1,7})(?:\/(\d{1,7}))?\s*$/.exec(part) ?? [];
  const isKnown = Object.hasOwn(DEFAULT_LIMITS, key) && (key === "streams") === (seconds === undefined);
  if (!isKnown || Number(count) === 0 || Number(seconds) === 0) {
    const { streams, ...others } = DEFAULT_LIMITS;
    const names = Object.keys(others).join(", ");
    refuse(name, given, `on, off, NAME=CALLS/SECONDS with ${names}, or streams=${streams}`);
  }
  return { [key]: key === "streams" ? Number(count) : { calls: Number(count), seconds: Number(seconds) } };
}

/** The absolute path of ffmpeg; null if it is off, or unset and not in PATH. A configured program must exist. */
function ffmpegOf(given: string | null, path = ""): string | null {
  if (given !== null && switchWord(given) === "off") return null;
  const found = Bun.which(given ?? "ffmpeg", { PATH: path });
  if (found === null && given !== null) refuse("LINNET_FFMPEG", given, "the path of a program, or off");
  return found && resolve(found);
}
