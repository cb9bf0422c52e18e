import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { newSetupToken } from "../../src/core/people/setup.ts";
import { Clips, ffmpeg } from "../fixtures/clips.ts";
import { fits, launchBrowser, violationsOn } from "../support/browser.ts";
import type { Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { processed } from "../support/media.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";
import { uploaded } from "../support/uploads.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);
const testWithFilm = anyTest.skipIf(program === null || ffmpeg === null);
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "en-GB" };

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(60_000);

let browser: Browser;
let server: TestServer;
let app: WebApp;
let context: BrowserContext;
let page: Page;
/** Requests and scripts that the content security policy blocked. Must stay empty. */
let violations: string[];

beforeAll(async () => {
  if (program === null) return;
  browser = await launchBrowser(program);
});
afterAll(() => browser?.close());

beforeEach(async () => {
  server = await startServer();
  app = new WebApp();
  await open({});
});
afterEach(async () => {
  await context.close();
  await app.stop();
  await server.stop();
});

/** Opens a fresh browser context. */
async function open(options: BrowserContextOptions): Promise<void> {
  await context?.close();
  context = await browser.newContext({ ...PHONE, ...options });
  page = await context.newPage();
  violations = violationsOn(page);
}

/** A web client on its own origin: a start page that opens a popup, and a callback. */
class WebApp {
  /** The queries of the requests to the callback. */
  readonly answers: URLSearchParams[] = [];
  authorizeUrl = "";
  private readonly http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/callback") {
        this.answers.push(searchParams);
        return Response.redirect("/done", 302);
      }
      return new Response(pathname === "/done" ? this.done() : this.start(), {
        headers: { "content-type": "text/html" },
      });
    },
  });

  get origin(): string {
    return `http://127.0.0.1:${this.http.port}`;
  }

  get callback(): string {
    return `${this.origin}/callback`;
  }

  stop(): Promise<void> {
    return this.http.stop(true);
  }

  private start(): string {
    return `<title>waiting</title>
      <script>onmessage = (event) => { document.title = event.data; };</script>
      <button onclick="window.open('${this.authorizeUrl}', 'sign-in', 'width=390,height=700')">Sign in</button>`;
  }

  private done(): string {
    return `<h1>Welcome to the app</h1><script>opener?.postMessage("message from the popup", "*")</script>`;
  }
}

async function register(redirect_uris: string[], scopes = "read write follow push"): Promise<Json> {
  return (await server.stranger().post("/api/v1/apps", { client_name: "Test App", redirect_uris, scopes })).json;
}

function authorize(client: Json, redirect_uri: string, more: Record<string, string> = {}): string {
  const query = { response_type: "code", client_id: client.client_id, redirect_uri, scope: "read write", ...more };
  return `${server.origin}/oauth/authorize?${new URLSearchParams(query)}`;
}

async function signIn(): Promise<void> {
  await page.fill("#login", "alice");
  await page.fill("#password", "correct horse");
  await press("Sign in");
}

function press(label: string): Promise<void> {
  return page.getByRole("button", { name: label, exact: true }).click();
}

/** Waits until the expression is true. `waitForFunction()` would retry with eval(), which the pages' policy forbids. */
async function holds(expression: string): Promise<void> {
  while (!(await page.evaluate(expression)));
}

test("a new owner sets up the server on a phone, and sees what to enter in an app", async () => {
  await page.goto(`${server.origin}/setup?token=${newSetupToken(server.ctx)}`);
  expect(await fits(page)).toBe(true);
  await page.fill("#username", "a.b");
  await page.fill("#password", "correct horse");
  await press("Create my account");
  expect(await page.textContent(".error")).toBe("Use only letters (a to z), numbers and underscores.");
  expect(await page.getAttribute("#username", "aria-invalid")).toBe("true");

  await page.fill("#username", "alice");
  await page.fill("#display_name", "Alice Liddell");
  await page.fill("#password", "correct horse");
  await press("Create my account");
  await page.waitForURL("**/welcome");
  expect(await page.textContent("h1")).toBe("Your server is ready, Alice Liddell");
  expect(await page.textContent("output")).toBe(new URL(server.origin).host);
  expect(await fits(page)).toBe(true);

  await page.goto(`${server.origin}/settings`);
  await press("Sign out");
  await page.waitForSelector("text='Sign in'");
  expect(violations).toEqual([]);
});

test("a user signs in without JavaScript, allows an app, and returns to it with a valid code", async () => {
  await open({ javaScriptEnabled: false });
  await server.person("alice");
  const client = await register([app.callback]);
  await page.goto(authorize(client, app.callback, { state: "a b+c&d", lang: "en" }));
  await page.fill("#login", "alice");
  await page.fill("#password", "wrong password");
  await press("Sign in");
  expect(await page.textContent("[role=alert]")).toContain("Wrong username or password");
  expect(await page.inputValue("#login")).toBe("alice");
  await signIn();

  expect(await page.textContent("h1")).toBe("Allow Test App to use your account?");
  expect(await page.textContent(".destination")).toContain(new URL(app.origin).host);
  await press("Allow");
  await page.waitForURL(`${app.origin}/done`);
  expect(app.answers).toHaveLength(1);
  const [answer] = app.answers;
  expect(answer!.get("state")).toBe("a b+c&d");

  const { client_id, client_secret } = client;
  const token = await server.stranger().post("/oauth/token", {
    grant_type: "authorization_code",
    client_id,
    client_secret,
    redirect_uri: app.callback,
    code: answer!.get("code"),
  });
  const headers = { authorization: `Bearer ${token.json.access_token}` };
  const { json } = await server.stranger().get("/api/v1/accounts/verify_credentials", { headers });
  expect(json.username).toBe("alice");
  expect(violations).toEqual([]);
});

test("denying access also returns to the app", async () => {
  await server.person("alice");
  const client = await register([app.callback]);
  await page.goto(authorize(client, app.callback, { state: "s" }));
  await signIn();
  await press("Don't allow");
  await page.waitForURL(`${app.origin}/done`);
  expect(app.answers.map(String)).toEqual(["error=access_denied&state=s"]);
});

test("an app receives the code from a popup", async () => {
  await server.person("alice");
  const client = await register([app.callback]);
  app.authorizeUrl = authorize(client, app.callback);
  await page.goto(app.origin);
  const opener = page;
  [page] = await Promise.all([context.waitForEvent("page"), press("Sign in")]);
  await signIn();
  await press("Allow");
  await opener.waitForFunction("document.title !== 'waiting'");
  expect(await opener.title()).toBe("message from the popup");
});

test.each(["icecubesapp://", "com.tapbots.Ivory.10217:/request_token/6A1F"])(
  "the browser lets the form redirect to an app on the device at %s",
  async (redirect) => {
    await server.person("alice");
    const client = await register([redirect]);
    await page.goto(authorize(client, redirect));
    await signIn();
    // No such app is installed, but the browser requests the URL only if the page's policy allows it.
    const isForApp = (url: string) => url.toLowerCase().startsWith(`${redirect.toLowerCase()}?code=`);
    await Promise.all([page.waitForRequest((request) => isForApp(request.url())), press("Allow")]);
    expect(violations).toEqual([]);
  },
);

test("an app without a redirect URI shows the code, which one touch selects", async () => {
  await server.person("alice");
  const client = await register(["urn:ietf:wg:oauth:2.0:oob"]);
  await page.goto(authorize(client, "urn:ietf:wg:oauth:2.0:oob"));
  await signIn();
  await press("Allow");
  expect(await page.textContent("output")).toMatch(/^[\w-]{43}$/);
  expect(await page.evaluate("getComputedStyle(document.querySelector('output')).userSelect")).toBe("all");
  expect(await fits(page)).toBe(true);
});

test("pages follow the system's colour scheme", async () => {
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor") as Promise<string>;
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(server.origin);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  expect(light).toBe("rgb(255, 253, 251)");
  expect(await background()).toBe("rgb(35, 29, 26)");
});

test("signing in works with the keyboard alone, and the focus is visible", async () => {
  await server.person("alice");
  const client = await register([app.callback]);
  await page.goto(authorize(client, app.callback));
  await page.waitForSelector("#login:focus");
  await page.keyboard.type("alice");
  await page.keyboard.press("Tab");
  await page.waitForSelector("#password:focus");
  await page.keyboard.type("correct horse");
  expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text='Allow'");
  await page.focus("text='Allow'");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${app.origin}/done`);
  expect(app.answers[0]!.has("code")).toBe(true);
});

test("a profile and its posts fit on a phone, show all images, and load nothing from other sites", async () => {
  const alice = await server.person("alice");
  await ownEmoji(server, "linnet");
  const long = "https://example.org/" + "a".repeat(300);
  const media = await Promise.all([0, 1, 2].map((shade) => uploaded(alice, {}, shade * 50)));
  await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice :linnet:", note: "W".repeat(400) });
  const media_ids = media.map((attachment) => attachment.id);
  const { url } = await alice.publish({ status: `${long} ${"W".repeat(300)} :linnet:`, media_ids });
  await alice.publish({ status: "which?", poll: { options: ["W".repeat(50), "b"], expires_in: 3600 } });
  for (const path of ["/@alice", new URL(url).pathname]) {
    await page.goto(server.origin + path);
    await page.evaluate("for (const image of document.images) image.loading = 'eager'");
    await holds("[...document.images].every((image) => image.complete && image.naturalWidth > 0)");
    expect(await page.locator("article img").count()).toBeGreaterThan(5);
    expect(await fits(page)).toBe(true);
  }
  await page.click("text='Alice'");
  await page.waitForURL("**/@alice");
  expect(violations).toEqual([]);
});

testWithFilm("a video plays on the page of its post", async () => {
  const alice = await server.person("alice");
  const clips = new Clips();
  try {
    const { id } = await processed(server, alice, await clips.file("film.mp4"));
    const { url } = await alice.publish({ status: "film", media_ids: [id] });
    await page.goto(server.origin + new URL(url).pathname);
    await page.evaluate("document.querySelector('video').play()");
    await holds("document.querySelector('video').readyState >= 2");
  } finally {
    clips.remove();
  }
  expect(violations).toEqual([]);
});

testWithFilm("a video plays at its own URL, although files may load nothing else", async () => {
  const alice = await server.person("alice");
  const clips = new Clips();
  try {
    for (const name of ["film.mp4", "film.webm"] as const) {
      const { url } = await processed(server, alice, await clips.file(name));
      await page.goto(url);
      await holds("document.querySelector('video')?.readyState >= 2");
      expect(await page.evaluate("document.querySelector('video').videoWidth")).toBe(160);
    }
  } finally {
    clips.remove();
  }
  expect(violations).toEqual([]);
});
