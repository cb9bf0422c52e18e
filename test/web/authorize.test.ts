import { beforeAll, beforeEach, expect, test } from "bun:test";
import { challengeOf } from "../../src/lib/secrets.ts";
import type { Json } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server } = serverForAllTests();
let app: Json;
let visitor: Visitor;

const WEB = "https://app.example/callback?from=linnet";
const IVORY = "com.tapbots.Ivory.10217:/request_token/6A1F";
const ELK = "https://elk.zone/api/example.org/oauth/https%3A%2F%2Felk.zone";
const OOB = "urn:ietf:wg:oauth:2.0:oob";

beforeAll(async () => {
  await server.person("alice");
  await server.person("bob", { password: "battery staple", role: "user" });
  app = await register("Ice Cubes", "read write follow push");
});
beforeEach(() => {
  visitor = new Visitor(server, { "accept-language": "en" });
});

async function register(client_name: string, scopes: string): Promise<Json> {
  const redirect_uris = ["icecubesapp://", WEB, IVORY, ELK, OOB, "https://bare.example"];
  return (await server.stranger().post("/api/v1/apps", { client_name, redirect_uris, scopes })).json;
}

/** The URL that an app opens in the browser. Null values are left out. */
function authorize(more: Record<string, string | null> = {}): string {
  const query = {
    response_type: "code",
    client_id: app.client_id,
    redirect_uri: "icecubesapp://",
    scope: "read write",
    state: null,
    ...more,
  };
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

function exchange(code: string, redirect_uri: string, more: object = {}) {
  const { client_id, client_secret } = app;
  const grant = { grant_type: "authorization_code", client_id, client_secret, code, redirect_uri, ...more };
  return server.stranger().post("/oauth/token", grant);
}

async function userOf(token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  return (await server.stranger().get("/api/v1/accounts/verify_credentials", { headers })).json.username;
}

test("a user signs in and allows an app, which gets a token", async () => {
  const verifier = "v".repeat(43);
  const asked = authorize({
    state: "a b&c=d+é/",
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
  });
  const first = await visitor.get(asked);
  expect([first.status, first.text]).toEqual([200, expect.stringContaining("Sign in to continue to Ice Cubes")]);

  const signedIn = await visitor.press("Sign in", { login: "alice", password: "correct horse" });
  expect(signedIn.status).toBe(303);
  const consent = await visitor.follow();
  expect(consent.text).toContain("Allow Ice Cubes to use your account?");
  expect(consent.text).toContain("Signed in as @alice");

  const { status, location, headers } = await visitor.press("Allow");
  expect([status, headers.get("cache-control")]).toEqual([303, "no-store"]);
  expect(location).toStartWith("icecubesapp://?code=");
  const answer = new URLSearchParams(location!.split("?")[1]);
  expect(answer.get("state")).toBe("a b&c=d+é/");

  expect((await exchange(answer.get("code")!, "icecubesapp://")).status).toBe(400);
  const token = await exchange(answer.get("code")!, "icecubesapp://", { code_verifier: verifier });
  expect([token.status, token.json.scope]).toEqual([200, "read write"]);
  expect(await userOf(token.json.access_token)).toBe("alice");
});

test.each([
  [WEB, `${WEB}&code=`],
  [IVORY, `${IVORY}?code=`],
  [ELK, `${ELK}?code=`],
  ["https://bare.example", "https://bare.example?code="],
])("the response goes to exactly %s", async (redirect_uri, start) => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ redirect_uri }));
  const { location } = await visitor.press("Allow");
  expect(location).toStartWith(start);
  const code = location!.slice(start.length);
  expect(code).toMatch(/^[\w-]{43}$/);
  expect((await exchange(code, redirect_uri)).status).toBe(200);
});

test("an empty state is returned empty, and a missing one is left out", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ state: "" }));
  expect((await visitor.press("Allow")).location).toEndWith("&state=");
  await visitor.get(authorize());
  expect((await visitor.press("Allow")).location).not.toContain("state");
});

test("denying access returns access_denied and no code", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ state: "xyz" }));
  const { location } = await visitor.press("Don't allow");
  expect(location).toBe("icecubesapp://?error=access_denied&state=xyz");
});

test("an app without a redirect URI gets the code from the user, who copies it from the page", async () => {
  await visitor.signIn("alice");
  const consent = await visitor.get(authorize({ redirect_uri: OOB }));
  expect(consent.text).toContain("You will then get a code to copy into the app");
  const { status, html, text } = await visitor.press("Allow");
  expect([status, text]).toEqual([200, expect.stringContaining("Copy this code, go back to Ice Cubes")]);
  const code = /<output[^>]*>([^<]+)<\/output>/.exec(html)![1]!;
  const { json } = await exchange(code, OOB);
  expect(await userOf(json.access_token)).toBe("alice");

  await visitor.get(authorize({ redirect_uri: OOB }));
  expect((await visitor.press("Don't allow")).text).toContain("Ice Cubes did not get access");
});

test("the page explains the scopes, and broad scopes replace narrow ones", async () => {
  await visitor.signIn("alice");
  const { text } = await visitor.get(authorize({ scope: "read read:lists write:statuses push" }));
  expect(text).toContain("Read everything you can read");
  expect(text).not.toContain("See your lists");
  expect(text).toContain("Write, edit and delete posts");
  expect(text).toContain("Send notifications to your device");
});

test("the page names the target of the redirect", async () => {
  await visitor.signIn("alice");
  expect((await visitor.get(authorize({ redirect_uri: WEB }))).text).toContain("You will then return to app.example");
  expect((await visitor.get(authorize())).text).toContain("This device will then open the app for icecubesapp:");
});

test("a request without a scope means read", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ scope: null }));
  const code = (await visitor.press("Allow")).location!.split("code=")[1]!;
  expect((await exchange(code, "icecubesapp://")).json.scope).toBe("read");
});

test("an app may request a subset of its scopes", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ scope: "read:accounts write:blocks" }));
  const code = (await visitor.press("Allow")).location!.split("code=")[1]!;
  expect((await exchange(code, "icecubesapp://")).json.scope).toBe("read:accounts write:blocks");
});

test("an app may request the response in the fragment", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ redirect_uri: WEB, response_mode: "fragment", state: "s" }));
  expect((await visitor.press("Allow")).location).toMatch(
    /^https:\/\/app\.example\/callback\?from=linnet#code=[\w-]+&state=s$/,
  );
});

test("a web app may request the response as a form", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ redirect_uri: WEB, response_mode: "form_post", state: "s" }));
  const { forms, headers } = await visitor.press("Allow");
  expect(forms[0]).toMatchObject({ action: WEB, fields: { code: expect.stringMatching(/^[\w-]{43}$/), state: "s" } });
  expect(headers.get("content-security-policy")).toContain("form-action 'self' https://app.example");
});

test.each([
  ["an unknown app", { client_id: "nobody" }, "doesn't know the app"],
  ["no app", { client_id: null }, "doesn't know the app"],
  ["an unregistered redirect URI", { redirect_uri: "https://evil.example/" }, "didn't register"],
  ["a redirect URI that begins like a registered one", { redirect_uri: `${WEB}&x=y` }, "didn't register"],
  ["no redirect URI", { redirect_uri: null }, "didn't register"],
  ["an overlong parameter", { state: "x".repeat(5000) }, "malformed"],
])("with %s the page doesn't redirect or link to the app", async (_, more, words) => {
  for (const signedIn of [false, true]) {
    if (signedIn) await visitor.signIn("alice");
    const { status, location, text, html } = await visitor.get(authorize(more));
    expect([status, location, text]).toEqual([400, null, expect.stringContaining(words)]);
    expect(html).not.toContain("evil.example");
    expect(html).not.toContain("icecubesapp");
  }
});

test.each([
  ["a scope that wasn't registered", { scope: "read admin:read" }, "invalid_scope"],
  ["a scope that doesn't exist", { scope: "everything" }, "invalid_scope"],
  ["a broader scope than registered", { scope: "profile" }, "invalid_scope"],
  ["another response type", { response_type: "token" }, "unsupported_response_type"],
  ["no response type", { response_type: null }, "unsupported_response_type"],
  ["an unknown response mode", { response_mode: "web_message" }, "invalid_request"],
  ["a form response for a native app", { response_mode: "form_post" }, "invalid_request"],
  ["a plain challenge", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }, "invalid_request"],
  ["a challenge without a method", { code_challenge: "x".repeat(43) }, "invalid_request"],
  ["an invalid challenge", { code_challenge: "short", code_challenge_method: "S256" }, "invalid_request"],
])("%s is explained on a page with a link that reports the error to the app", async (_, more, error) => {
  const { status, location, html, text } = await visitor.get(authorize({ state: "s&t", ...more }));
  expect([status, location, text]).toEqual([400, null, expect.stringContaining("This app can't sign you in")]);
  expect(html).toContain(`href="icecubesapp://?error=${error}&amp;state=s%26t"`);
});

test("the form refuses invalid parameters like the page", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize());
  const csrf = await csrfToken();
  const wrong = await visitor.post(authorize({ scope: "admin:write" }), { csrf, decision: "allow" });
  expect([wrong.status, wrong.location]).toEqual([400, null]);
  const away = await visitor.post(authorize({ redirect_uri: "https://evil.example/" }), { csrf, decision: "allow" });
  expect([away.status, away.location]).toEqual([400, null]);
});

async function csrfToken(): Promise<string> {
  return (await visitor.get(authorize())).forms[0]!.fields["csrf"]!;
}

test("a form sent by another site is refused", async () => {
  await visitor.signIn("alice");
  const csrf = await csrfToken();
  const tries: [Record<string, string>, Record<string, string>][] = [
    [{ csrf: "" }, {}],
    [{ csrf: "0".repeat(64) }, {}],
    [{ csrf }, { "sec-fetch-site": "cross-site" }],
    [{ csrf }, { "sec-fetch-site": "same-site" }],
    [{ csrf }, { "sec-fetch-site": "none" }],
  ];
  for (const [fields, headers] of tries) {
    const { status, location, text } = await visitor.post(authorize(), { decision: "allow", ...fields }, headers);
    expect([status, location, text]).toEqual([403, null, expect.stringContaining("nothing was changed")]);
  }
});

test("without Sec-Fetch-Site the Origin header decides", async () => {
  await visitor.signIn("alice");
  const csrf = await csrfToken();
  const send = async (origin: string) => {
    const headers = { origin, cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") };
    const body = new URLSearchParams({ csrf, decision: "allow" });
    const init: RequestInit = { method: "POST", headers, body, redirect: "manual" };
    return (await fetch(server.origin + authorize(), init)).status;
  };
  expect(await send(server.origin)).toBe(303);
  for (const origin of ["null", "https://evil.example", "nonsense"]) expect(await send(origin)).toBe(403);
});

test("a form doesn't work in the browser of another user", async () => {
  await visitor.signIn("bob", "battery staple");
  const csrf = await csrfToken();
  visitor = new Visitor(server);
  await visitor.signIn("alice");
  expect((await visitor.post(authorize(), { csrf, decision: "allow" })).status).toBe(403);
});

test("a user who was signed out meanwhile signs in and continues with the same request", async () => {
  await visitor.signIn("alice");
  await visitor.get(authorize({ state: "kept" }));
  visitor.cookies.clear();
  const { status, location } = await visitor.press("Allow");
  expect([status, location]).toEqual([303, authorize({ state: "kept" })]);
  expect((await visitor.follow()).text).toContain("Sign in to continue");
});

test("force_login requires signing in again, once, possibly as another user", async () => {
  await visitor.signIn("alice");
  for (const value of ["true", "1"]) {
    const page = await visitor.get(authorize({ force_login: value, state: "s" }));
    expect(page.text).toContain("Sign in to continue to Ice Cubes");
  }
  await visitor.press("Sign in", { login: "bob", password: "battery staple" });
  const consent = await visitor.follow();
  expect(consent.text).toContain("Signed in as @bob");
  const { location } = await visitor.press("Allow");
  const code = new URLSearchParams(location!.split("?")[1]).get("code")!;
  expect(await userOf((await exchange(code, "icecubesapp://")).json.access_token)).toBe("bob");
});

test("force_login=false doesn't require signing in again", async () => {
  await visitor.signIn("alice");
  expect((await visitor.get(authorize({ force_login: "false" }))).text).toContain("Signed in as @alice");
});

test("the page offers to use another account", async () => {
  await visitor.signIn("alice");
  const { html } = await visitor.get(authorize({ state: "s" }));
  const link = /<a href="([^"]+)">Not you\?/.exec(html)![1]!.replaceAll("&amp;", "&");
  expect((await visitor.get(link)).text).toContain("Sign in to continue to Ice Cubes");
});

test("the page uses the language of the request, of the browser, or English", async () => {
  const languageOf = async (lang: string | null, accept: string) => {
    const { html } = await new Visitor(server, { "accept-language": accept }).get(authorize({ lang }));
    return /<html lang="(\w+)"/.exec(html)![1]!;
  };
  expect(await languageOf("de", "fr")).toBe("de");
  expect(await languageOf("fr-CA", "")).toBe("fr");
  expect(await languageOf(null, "ja, fr;q=0.3, de-AT;q=0.8")).toBe("de");
  expect(await languageOf("xx", "tlh")).toBe("en");
  expect(await languageOf("constructor", "*;q=x")).toBe("en");
  const { text } = await visitor.get(authorize({ lang: "de" }));
  expect(text).toContain("Anmelden, um mit Ice Cubes fortzufahren");
});

test("the language stays the same on all pages", async () => {
  await visitor.get(authorize({ lang: "fr" }));
  const wrong = await visitor.press("Se connecter", { login: "alice", password: "wrong password" });
  expect(wrong.text).toContain("incorrect");
  await visitor.press("Se connecter", { login: "alice", password: "correct horse" });
  expect((await visitor.follow()).text).toContain("Autoriser Ice Cubes à utiliser votre compte ?");
  expect((await visitor.press("Autoriser")).location).toStartWith("icecubesapp://?code=");
});

test("the name of an app is escaped", async () => {
  const mine = app;
  app = await register(`<script>alert("1")</script>'&`, "read write");
  await visitor.signIn("alice");
  for (const page of [
    await visitor.get(authorize()),
    await visitor.get(authorize({ force_login: "1", state: '"><b>' })),
  ]) {
    expect(page.html).not.toMatch(/<script(?! type="module" src="\/assets\/linnet-)/);
    expect(page.html).not.toContain("<b>");
    expect(page.text).toContain(`<script>alert("1")</script>'&`);
  }
  app = mine;
});

test("the headers forbid scripts, frames, caching, and referrers to other sites", async () => {
  await visitor.signIn("alice");
  const { headers, html } = await visitor.get(authorize({ redirect_uri: ELK }));
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; media-src 'self'; form-action 'self' https://elk.zone https:; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("same-origin");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("cross-origin-opener-policy")).toBeNull();
  expect(html).not.toContain("<script");
  expect(html).not.toContain(" style=");
});

test.each([
  ["icecubesapp://", "form-action 'self' icecubesapp:;"],
  [IVORY, "form-action 'self' com.tapbots.ivory.10217:;"],
  [OOB, "form-action 'self';"],
])("the page's policy allows its form to redirect to %s", async (redirect_uri, policy) => {
  await visitor.signIn("alice");
  const { headers } = await visitor.get(authorize({ redirect_uri }));
  expect(headers.get("content-security-policy")).toContain(policy);
});

test("a trailing slash makes no difference", async () => {
  expect((await visitor.get(authorize().replace("?", "/?"))).text).toContain("Sign in to continue");
});
