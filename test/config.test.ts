import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "bun:test";
import { readConfig, SETTINGS, withAddress } from "../src/config.ts";
import { UsageError } from "../src/errors.ts";

test("every setting has a default", () => {
  expect(readConfig({ PATH: "/bin" })).toMatchObject({
    origin: "http://localhost:3000",
    handleDomain: "localhost:3000",
    host: "127.0.0.1",
    port: 3000,
    data: resolve("linnet-data"),
    limits: { account: { calls: 300, seconds: 300 }, media: { calls: 30, seconds: 1800 } },
    synchronous: "FULL",
    title: "Linnet",
    languages: ["en"],
    maxCharacters: 5000,
    logLevel: "info",
    logFormat: "text",
  });
});

test("an empty or blank setting has its default", () => {
  expect(readConfig({ LINNET_PORT: "", LINNET_TITLE: "  " })).toEqual(readConfig({}));
});

test("the public URL loses its slash and sets the handle domain", () => {
  const { origin, handleDomain } = readConfig({ LINNET_URL: "https://Social.Example/" });
  expect([origin, handleDomain]).toEqual(["https://social.example", "social.example"]);
  expect(readConfig({ LINNET_PORT: "8080" }).origin).toBe("http://localhost:8080");
});

test("the handle domain can differ from the host", () => {
  const config = readConfig({ LINNET_URL: "https://social.example.org", LINNET_HANDLE_DOMAIN: "Example.org" });
  expect([config.handleDomain, config.origin]).toEqual(["example.org", "https://social.example.org"]);
});

test("every setting is parsed", () => {
  const config = readConfig({
    LINNET_HOST: "::1",
    LINNET_PORT: "0",
    LINNET_DATA: "/var/lib/linnet",
    LINNET_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    LINNET_SQLITE_SYNCHRONOUS: "normal",
    LINNET_DESCRIPTION: "Birds",
    LINNET_CONTACT_EMAIL: "me@example.org",
    LINNET_LANGUAGES: "de, en-GB",
    LINNET_MAX_CHARACTERS: "500",
    LINNET_LOG_LEVEL: "debug",
    LINNET_LOG_FORMAT: "json",
  });
  expect(config).toMatchObject({
    host: "::1",
    port: 0,
    data: "/var/lib/linnet",
    synchronous: "NORMAL",
    description: "Birds",
    contactEmail: "me@example.org",
    languages: ["de", "en-GB"],
    maxCharacters: 500,
    logLevel: "debug",
    logFormat: "json",
  });
  expect(config.trustedProxies).toHaveLength(2);
  expect(readConfig({ LINNET_TRUSTED_PROXIES: "none" }).trustedProxies).toEqual([]);
});

test("ffmpeg is found in PATH, set explicitly, or off", () => {
  const folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
  const program = join(folder, "ffmpeg");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  expect(readConfig({}).ffmpeg).toBeNull();
  expect(readConfig({ PATH: folder }).ffmpeg).toBe(program);
  expect(readConfig({ LINNET_FFMPEG: program }).ffmpeg).toBe(program);
  expect(readConfig({ PATH: folder, LINNET_FFMPEG: "off" }).ffmpeg).toBeNull();
  rmSync(folder, { recursive: true });
});

test("rate limits can be turned off or changed one by one", () => {
  expect(readConfig({ LINNET_RATE_LIMITS: "off" }).limits).toBeNull();
  const { limits } = readConfig({ LINNET_RATE_LIMITS: "account=600/60, sign_in=3/900, streams=7" });
  expect(limits).toMatchObject({
    account: { calls: 600, seconds: 60 },
    sign_in: { calls: 3, seconds: 900 },
    address: { calls: 300, seconds: 300 },
    streams: 7,
  });
  expect(readConfig({}).limits?.account).toEqual({ calls: 300, seconds: 300 });
});

test("sizes are in MB, GB or TB", () => {
  const sizes = ["", "1 MB", "500MB", "1.5 gb", "2 TB"].map(
    (size) => readConfig({ LINNET_CACHE_SIZE: size }).cacheSize,
  );
  expect(sizes).toEqual([2e9, 1e6, 500e6, 1.5e9, 2e12]);
});

test("LibreTranslate has a URL and an optional key, and a key without a URL is refused", () => {
  const named = { LINNET_LIBRETRANSLATE_URL: "http://127.0.0.1:5000/", LINNET_LIBRETRANSLATE_KEY: "key" };
  expect(readConfig(named).libreTranslate).toEqual({ url: "http://127.0.0.1:5000", key: "key" });
  expect(readConfig({}).libreTranslate).toBeNull();
  expect(() => readConfig({ LINNET_LIBRETRANSLATE_KEY: "key" })).toThrow("LINNET_LIBRETRANSLATE_URL");
});

test.each([
  ["LINNET_URL", "social.example"],
  ["LINNET_URL", "ftp://social.example"],
  ["LINNET_URL", "https://social.example/path"],
  ["LINNET_URL", "https://user@social.example"],
  ["LINNET_URL", "https://social.example/?x"],
  ["LINNET_HANDLE_DOMAIN", "https://social.example"],
  ["LINNET_HANDLE_DOMAIN", "social.example/x"],
  ["LINNET_PORT", "http"],
  ["LINNET_PORT", "65536"],
  ["LINNET_PORT", "-1"],
  ["LINNET_PORT", "80.5"],
  ["LINNET_TRUSTED_PROXIES", "localhost"],
  ["LINNET_TRUSTED_PROXIES", "10.0.0.0/8,"],
  ["LINNET_RATE_LIMITS", "some"],
  ["LINNET_PEERS", "2"],
  ["LINNET_PEERS", "review"],
  ["LINNET_RATE_LIMITS", "account=0/300"],
  ["LINNET_RATE_LIMITS", "everything=1/1"],
  ["LINNET_RATE_LIMITS", "constructor=1/1"],
  ["LINNET_SQLITE_SYNCHRONOUS", "FULL"],
  ["LINNET_SQLITE_SYNCHRONOUS", "toString"],
  ["LINNET_LANGUAGES", "english"],
  ["LINNET_LANGUAGES", "en,,de"],
  ["LINNET_MAX_CHARACTERS", "0"],
  ["LINNET_CACHE_SIZE", "2"],
  ["LINNET_CACHE_SIZE", "0.5 MB"],
  ["LINNET_CACHE_SIZE", "2 GiB"],
  ["LINNET_CACHE_SIZE", "-1 GB"],
  ["LINNET_CACHE_DAYS", "0"],
  ["LINNET_LIBRETRANSLATE_URL", "localhost:5000"],
  ["LINNET_LIBRETRANSLATE_URL", "http://key@localhost:5000"],
  ["LINNET_FFMPEG", "/nowhere/ffmpeg"],
  ["LINNET_LOG_LEVEL", "loud"],
  ["LINNET_LOG_FORMAT", "xml"],
])("%s=%s is refused with a message that names the setting", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(UsageError);
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} is "`));
});

test("an unknown LINNET_ variable is refused, so that a typo doesn't hide behind a default", () => {
  expect(() => readConfig({ LINNET_PROT: "8080" })).toThrow("There is no setting LINNET_PROT.");
});

test.each([
  ["on", true],
  ["true", true],
  ["yes", true],
  ["1", true],
  ["ON", true],
  ["off", false],
  ["false", false],
  ["No", false],
  ["0", false],
])("a switch set to %s is %p", (given, isOn) => {
  const { peers, limitedFederation, trends, limits, ffmpeg } = readConfig({
    LINNET_PEERS: given,
    LINNET_LIMITED_FEDERATION: given,
    LINNET_TRENDS: given,
    LINNET_RATE_LIMITS: given,
    ...(!isOn && { LINNET_FFMPEG: given }),
  });
  expect([peers, limitedFederation, trends, limits !== null]).toEqual([isOn, isOn, isOn ? "on" : "off", isOn]);
  expect(ffmpeg).toBeNull();
});

test("a mail server needs a sender, and an error never has its password", () => {
  const LINNET_SMTP_URL = "smtps://linnet:s3cret@mail.example";
  expect(readConfig({ LINNET_SMTP_URL, LINNET_SMTP_FROM: "Linnet <linnet@mail.example>" }).mail).toEqual({
    server: { host: "mail.example", port: 465, encryption: "tls", login: { user: "linnet", password: "s3cret" } },
    from: { name: "Linnet", address: "linnet@mail.example" },
  });
  expect(readConfig({}).mail).toBeNull();
  for (const wrong of [
    { LINNET_SMTP_URL },
    { LINNET_SMTP_FROM: "me@mail.example" },
    { LINNET_SMTP_URL, LINNET_SMTP_FROM: "me" },
    { LINNET_SMTP_URL: `${LINNET_SMTP_URL}/path`, LINNET_SMTP_FROM: "me@mail.example" },
  ]) {
    const read = () => readConfig(wrong);
    expect(read).toThrow(UsageError);
    expect(read).not.toThrow(/s3cret/);
  }
});

test("identity providers need all of their settings", () => {
  const client = (name: string) => ({ [`LINNET_${name}_CLIENT_ID`]: "id", [`LINNET_${name}_CLIENT_SECRET`]: "s3cret" });
  const issuer = { LINNET_OIDC_ISSUER: "https://id.example/realm/" };
  const credentials = { clientId: "id", clientSecret: "s3cret" };
  const { providers } = readConfig({ ...client("OIDC"), ...issuer, ...client("GOOGLE"), ...client("GITHUB") });
  expect(providers).toEqual([
    { id: "openid", name: "id.example", issuer: "https://id.example/realm/", ...credentials },
    { id: "google", name: "Google", issuer: "https://accounts.google.com", ...credentials },
    { id: "github", name: "GitHub", issuer: "https://github.com", ...credentials },
  ]);
  expect(readConfig({}).providers).toEqual([]);
  for (const wrong of [
    client("OIDC"),
    issuer,
    { LINNET_OIDC_NAME: "Example" },
    { ...client("OIDC"), LINNET_OIDC_ISSUER: "id.example" },
    { LINNET_GOOGLE_CLIENT_SECRET: "s3cret" },
    { LINNET_GITHUB_CLIENT_SECRET: "s3cret" },
  ]) {
    const read = () => readConfig(wrong);
    expect(read).toThrow(UsageError);
    expect(read).not.toThrow(/s3cret/);
  }
});

test("the configuration is immutable", () => {
  const config = readConfig({ LINNET_LANGUAGES: "en,de" });
  const parts = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(parts)] : [];
  expect(parts(config).length).toBeGreaterThan(10);
  for (const moved of [config, withAddress(config, { origin: "https://a.example", handleDomain: "a.example" })]) {
    expect(parts(moved).filter((part) => !Object.isFrozen(part))).toEqual([]);
  }
  expect(() => Object.assign(config, { title: "Another" })).toThrow(TypeError);
});

/** The lines of docs/settings.md with this beginning. */
async function documented(start: string): Promise<string[]> {
  const text = await Bun.file(join(import.meta.dir, "../docs/settings.md")).text();
  return text.split("\n").filter((line) => line.startsWith(start));
}

test("the documentation lists every setting with its default and meaning", async () => {
  const rows = SETTINGS.map(({ name, fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
  expect(await documented("| `LINNET_")).toEqual(rows);
});

test("the documentation lists every rate limit with its default", async () => {
  const shown = (await documented("| `")).flatMap((line) => {
    const [, name, value] = /^\| `([a-z_]+)` \| `([\d/]+)` \|/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const defaults = Object.entries(readConfig({}).limits!).map(([name, limit]) => [
    name,
    typeof limit === "number" ? String(limit) : `${limit.calls}/${limit.seconds}`,
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(defaults));
});

test("every documented default is a valid value", () => {
  const shown = SETTINGS.flatMap(({ name, fallback }) => {
    const value = /^`(.*)`$/.exec(fallback)?.[1];
    return value === undefined ? [] : [[name, value]];
  });
  expect(shown.length).toBeGreaterThan(20);
  expect(readConfig(Object.fromEntries(shown))).toEqual(readConfig({}));
});
