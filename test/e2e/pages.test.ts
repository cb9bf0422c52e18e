import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import axe from "axe-core/axe.min.js" with { type: "text" };
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { createEmailToken } from "../../src/core/mail/email-tokens.ts";
import { createInvitation } from "../../src/core/people/invitations.ts";
import { newSetupToken } from "../../src/core/people/setup.ts";
import { setAppearance } from "../../src/core/server/appearance.ts";
import { publishTerms } from "../../src/core/server/terms.ts";
import { createSignInLink } from "../../src/core/sign-in/sign-in-links.ts";
import { script, stylesheet } from "../../src/web/assets.ts";
import { webRoutes } from "../../src/web/index.ts";
import { launchBrowser } from "../support/browser.ts";
import type { Json } from "../support/client.ts";
import { addExamples, type Examples } from "../support/examples/content.ts";
import { Transfer } from "../support/imports.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";
import { pictureFile } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);

type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1280, height: 900 };
const MAX_BYTES = 100_000;
const MAX_REQUESTS = 3;
const MISSING = "/nothing/here";
/** Pages that the browser has open at the same time. */
const TABS = 3;

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(120_000);

let browser: Browser;
let server: TestServer;
/** The state that a browser stores once the user has signed in. */
let session: Promise<SignedIn> | undefined;
let examples: Examples;
/** The addresses of pages with parameters, and of further states of a page, by the page's path. */
let known: Record<string, string[]>;

beforeAll(async () => {
  if (program === null) return;
  server = await startServer({ LINNET_SMTP_URL: "smtp://127.0.0.1:1", LINNET_SMTP_FROM: "linnet@example.org" });
  [browser, examples] = await Promise.all([launchBrowser(program), addExamples(server)]);
  known = await addStates();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await examples?.stop();
});

/** Content that makes further pages interesting. Returns where they are. */
async function addStates(): Promise<Record<string, string[]>> {
  const { owner, neighbours, remote, picture, poll, warning, long } = examples;
  const { ctx } = server;
  const { id: list } = (await owner.post("/api/v1/lists", { title: "Neighbours" })).json;
  await owner.post(`/api/v1/lists/${list}/accounts`, { account_ids: [neighbours.mira.id] });
  const filter = {
    title: "Frost",
    context: ["home"],
    filter_action: "warn",
    keywords_attributes: [{ keyword: "frost" }],
  };
  const { id: filterId } = (await owner.post("/api/v2/filters", filter)).json;
  await owner.post("/api/v1/tags/birds/follow");
  await owner.post(`/api/v1/accounts/${neighbours.juno.id}/mute`);
  for (const action of ["bookmark", "favourite", "reblog"]) await owner.post(`/api/v1/statuses/${remote}/${action}`);
  const scheduled_at = new Date(server.clock.now() + 3600_000).toISOString();
  const { id: scheduled } = (await owner.post("/api/v1/statuses", { status: "See you at the mill", scheduled_at }))
    .json;
  await owner.post(`/api/v2/filters/${filterId}/statuses`, { status_id: remote });
  const transfer = new Transfer(() => server, owner);
  await transfer.run("nobody@127.0.0.1\n", { kind: "blocks", name: "blocks.csv" });
  const terms = publishTerms(ctx, "# Terms\n\nBe kind.");
  setAppearance(ctx, { accent: "#1a5fb4", css: ".brand { letter-spacing: 0; }", isIndexed: true, allowsAi: true });
  const app = { client_name: "Example App", redirect_uris: "urn:ietf:wg:oauth:2.0:oob", scopes: "read write" };
  const { client_id } = (await owner.post("/api/v1/apps", app)).json;
  const authorize = new URLSearchParams({
    client_id,
    redirect_uri: app.redirect_uris,
    response_type: "code",
    scope: "read",
  });
  const status = ({ id }: Json) => `/@robin/${id}`;
  const userId = ctx.db.get<{ id: number }>("SELECT id FROM users")!.id;
  const reset = ctx.db.transaction((tx) => createEmailToken(ctx, tx, { userId, purpose: "password_reset", email: "" }));
  const invitation = createInvitation(ctx, Number(owner.id), { maxUses: null, expiresAt: null });
  const signInLink = createSignInLink(ctx, userId).slice(server.origin.length);
  return {
    // A stream, files, and pages that exist only in other states of the server.
    "/live": [],
    "/theme/:name": [],
    ...Object.fromEntries(["rss", "atom", "json"].map((format) => [`/feeds/home.${format}`, []])),
    "/setup": [],
    "/confirm-email": [],
    "/settings/security/passkeys/remove": [],
    "/@:name": ["/@robin", "/@mira@wetland.example"],
    "/@:name/:id": [picture, poll, warning, long].map(status).concat(`/@mira@wetland.example/${remote}`),
    "/@:name/with_replies": ["/@robin/with_replies"],
    "/@:name/media": ["/@robin/media"],
    "/@:name/followers": ["/@robin/followers"],
    "/@:name/following": ["/@robin/following", "/@mira@wetland.example/following"],
    "/@:name/tagged/:tag": ["/@robin/tagged/birds"],
    "/@:name/archive": ["/@robin/archive"],
    "/@:name/archive/:month": ["/@robin/archive/2026-11"],
    "/@:name/search": ["/@robin/search", "/@robin/search?q=marsh"],
    "/@:name/:id/edit": [`${status(poll)}/edit`, `${status(picture)}/edit`],
    "/tags/:name": ["/tags/birds"],
    "/terms-of-service/:date": [`/terms-of-service/${terms}`],
    "/users/:name": ["/users/robin"],
    "/users/:name/statuses/:id": [`/users/robin/statuses/${poll.id}`],
    "/users/:name/statuses/:id/activity": [`/users/robin/statuses/${poll.id}/activity`],
    "/oauth/authorize": [`/oauth/authorize?${authorize}`],
    "/sign-in/link": [signInLink],
    "/invite/:code": [`/invite/${invitation}`],
    "/password-reset/new": [`/password-reset/new?token=${reset}`],
    "/settings/filters/:id": [`/settings/filters/${filterId}`, "/settings/filters/new"],
    "/api": ["/api", "/api?area=statuses"],
    "/settings/lists/:id": [`/settings/lists/${list}`],
    "/settings/import/:id/failures.csv": [`/settings/import/${transfer.latest.id}/failures.csv`],
    "/authorize_interaction": [`/authorize_interaction?uri=${server.origin}/@robin`],
    "/compose": [
      "/compose",
      `/compose?reply=${remote}`,
      `/compose?quote=${long.id}`,
      `/compose?scheduled=${scheduled}`,
    ],
    "/posts/:id/delete": [`/posts/${poll.id}/delete`],
    "/lists/:id": [`/lists/${list}`],
    "/search": ["/search", "/search?q=marsh"],
    "/*": [MISSING],
  };
}

/** The addresses of all pages and files that the server adds, so that none is forgotten. */
function allAddresses(): string[] {
  const paths = new Set<string>();
  const app = { route: (method: string, path: string) => method === "GET" && paths.add(path) };
  webRoutes(app as never, server.ctx, () => Promise.reject(new Error("No page is shown here")));
  return [...paths].flatMap((path) => {
    if (known[path]) return known[path];
    if (/[:*]/.test(path)) throw new Error(`addStates() needs an example of the page ${path}`);
    return path;
  });
}

/** A browser of the user, who has signed in once for all of them. */
async function signedIn(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  session ??= signIn();
  return open({ storageState: await session, ...options });
}

async function signIn(): Promise<SignedIn> {
  const context = await open();
  const page = await context.newPage();
  await page.goto(`${server.origin}/sign-in`);
  await page.fill("#login", "robin");
  await page.fill("#password", "correct horse");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/home");
  const state = await context.storageState();
  await context.close();
  return state;
}

async function open(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: NARROW, colorScheme: "light", locale: "en-GB", ...options });
  await context.addInitScript({ content: axe + LOOKS });
  return context;
}

/** Problems of the pages of these addresses, as this browser sees them. */
async function problemsAt(context: BrowserContext, addresses: readonly string[], checks: Check[]): Promise<string[]> {
  const waiting = [...addresses];
  const problems: string[] = [];
  const seen = new Set<string>();
  const tabs = Array.from({ length: TABS }, async () => {
    const tab = new Tab(await context.newPage(), seen);
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      const found = await tab.visit(server.origin + address, checks);
      problems.push(...found.map((problem) => `${address}: ${problem}`));
    }
  });
  await Promise.all(tabs);
  return problems.toSorted();
}

/** Checks besides the content: a look is a width and a colour scheme. */
type Check = "narrow and light" | "wide and dark" | "without scripts";

/**
 * Runs in each page. Contrast is measured, and the wide look seen, only of texts in a place that no page before had: that
 * of all would take longer than everything else.
 */
const LOOKS = `
  window.looks = {
    texts: [],
    // The weaker recommendations are left out.
    RULES: axe._audit.rules
      .filter(({ id, impact, enabled }) => /serious|critical/.test(impact) && (enabled || id === "target-size"))
      .map(({ id }) => id)
      .filter((id) => id !== "color-contrast"),

    /** Opens some of what can be opened, and returns the places of texts: elements in elements. */
    places() {
      for (const part of [...document.querySelectorAll("details:not(.menu)")].slice(0, 5)) part.open = true;
      const placeOf = (element) => element === null ? "" :
        placeOf(element.parentElement) + " " + element.localName + "." + element.getAttribute("class");
      const hasText = (element) => element.matches("input, textarea, select") ||
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
      const texts = [...document.querySelectorAll("body *")].filter((part) => hasText(part) && part.checkVisibility());
      const places = new Map(texts.map((element) => [placeOf(element), element]));
      this.texts = [...places.values()];
      return [...places.keys()];
    },

    async problems(screen, rules, fresh) {
      const root = document.documentElement;
      // Where a form has scrolled to, the bar would cover a part of a control.
      scrollTo({ top: 0, behavior: "instant" });
      const isTooWide = root.scrollWidth > root.clientWidth;
      return [
        ...(isTooWide ? ["too wide for a " + screen + " screen"] : []),
        ...(rules.length > 0 ? await this.barriers(document, rules) : []),
        ...(fresh.length > 0 ? await this.barriers(fresh.map((at) => this.texts[at]), ["color-contrast"]) : []),
      ];
    },

    async barriers(parts, runOnly) {
      const { violations } = await axe.run(parts, { runOnly, preload: false, resultTypes: ["violations"], selectors: false });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" ")));
    },
  };`;

/** One page after the other in the same tab. */
class Tab {
  /** The errors in the console, such as violations of the Content-Security-Policy. */
  private logged: string[] = [];

  constructor(
    readonly page: Page,
    private readonly seen = new Set<string>(),
  ) {
    page.on("console", (message) => {
      if (message.type() === "error") this.logged.push(message.text());
    });
    page.on("pageerror", (error) => this.logged.push(String(error)));
  }

  async visit(url: string, checks: Check[]): Promise<string[]> {
    this.logged = [];
    const response = await this.page.goto(url);
    const problems = [...(await this.check(checks)), ...(await this.costs())];
    if (url.endsWith(MISSING)) return problems;
    return response!.ok() ? [...problems, ...this.logged] : [...problems, `status ${response!.status()}`];
  }

  /** Problems of the page that is open. */
  async check(checks: Check[]): Promise<string[]> {
    const { page } = this;
    const places = await page.evaluate<string[]>("looks.places()");
    if (checks.includes("without scripts")) return this.deadControls();
    const fresh = JSON.stringify([...places.keys()].filter((at) => !this.seen.has(places[at]!)));
    for (const place of places) this.seen.add(place);
    const problems = await page.evaluate<string[]>(`looks.problems("narrow", looks.RULES, ${fresh})`);
    if (fresh === "[]" || !checks.includes("wide and dark")) return problems;
    await this.look(WIDE, "dark");
    problems.push(...(await page.evaluate<string[]>(`looks.problems("wide", [], ${fresh})`)));
    await this.look(NARROW, "light");
    return problems;
  }

  private async look(size: typeof NARROW, colorScheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.page.setViewportSize(size);
  }

  /** Images and clips don't count: they come after the first paint. */
  private async costs(): Promise<string[]> {
    const [bytes, requests] = await this.page.evaluate<[number, number]>(`(() => {
      const files = performance.getEntriesByType("resource");
      const texts = files.filter(({ name }) => /\\.(css|js)$|[/]theme[/]/.test(name));
      const blocking = files.filter(({ renderBlockingStatus }) => renderBlockingStatus === "blocking");
      const all = performance.getEntriesByType("navigation").concat(texts);
      return [all.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0), blocking.length + 1];
    })()`);
    return [
      ...(bytes > MAX_BYTES ? [`${bytes} bytes`] : []),
      ...(requests > MAX_REQUESTS ? [`${requests} requests before the first paint`] : []),
    ];
  }

  /** Links that lead nowhere and buttons that send nothing, which would need a script. */
  private deadControls(): Promise<string[]> {
    return this.page.evaluate<string[]>(`[...document.querySelectorAll("a:not([href]), button, [onclick]")]
      .filter((control) => control.localName !== "button" || control.type !== "submit" || !control.form?.action)
      .filter((control) => control.checkVisibility())
      .map((control) => "needs a script: " + control.outerHTML)`);
  }
}

interface Shown {
  address: string;
  html: string;
  isFound: boolean;
}

/** The pages that this browser gets, without files and the way to sign in. */
async function pagesFor(context: BrowserContext): Promise<Shown[]> {
  const responses = await Promise.all(
    allAddresses().map(async (path) => {
      const response = await context.request.get(server.origin + path);
      const isPage = response.headers()["content-type"]?.startsWith("text/html");
      return { path, response, html: isPage ? await response.text() : null };
    }),
  );
  const pages = new Map<string, Shown>();
  for (const { path, response, html } of responses) {
    if (html === null || (path !== "/sign-in" && html.includes('action="/sign-in"'))) continue;
    const address = response.url().slice(server.origin.length);
    pages.set(address, { address, html, isFound: response.ok() || path === MISSING });
  }
  return [...pages.values()];
}

const addressesIn = (pages: readonly Shown[]) => pages.map(({ address }) => address);

describe("Every page", () => {
  test("has no serious barrier for the user, fits narrow and wide screens, light and dark, and loads little", async () => {
    const context = await signedIn();
    const pages = addressesIn(await pagesFor(context));
    expect(pages.length).toBeGreaterThan(60);
    expect(await problemsAt(context, pages, ["narrow and light", "wide and dark"])).toEqual([]);
    await context.close();
  });

  test("has no serious barrier for visitors", async () => {
    const context = await open();
    const pages = (await pagesFor(context)).filter(({ isFound }) => isFound);
    expect(pages.length).toBeGreaterThan(20);
    expect(await problemsAt(context, addressesIn(pages), ["narrow and light"])).toEqual([]);
    const blank = await startServer();
    const tab = new Tab(await context.newPage());
    const checks: Check[] = ["narrow and light", "wide and dark"];
    expect(await tab.visit(`${blank.origin}/`, checks)).toEqual([]);
    expect(await tab.visit(`${blank.origin}/setup?token=${newSetupToken(blank.ctx)}`, checks)).toEqual([]);
    await blank.stop();
    await context.close();
  });

  test("has only links and buttons that work without JavaScript", async () => {
    const context = await signedIn({ javaScriptEnabled: false });
    const withScripts = (await pagesFor(context)).filter(({ html }) => html.includes("<script"));
    expect(withScripts.length).toBeGreaterThan(3);
    expect(await problemsAt(context, addressesIn(withScripts), ["without scripts"])).toEqual([]);
    await context.close();
  });

  test("stays below 100 kB when its lists are full", async () => {
    const full = await startServer();
    const alice = await full.person("alice");
    await full.person("bob");
    for (let at = 0; at < 20; at++) {
      const { id } = await alice.publish(`@bob ${"Day ".repeat(90)} #birds https://example.org/${at}`);
      await alice.post(`/api/v1/statuses/${id}/bookmark`);
    }
    const visitor = new Visitor(full);
    for (const who of ["alice", "bob"]) {
      await visitor.signIn(who);
      for (const path of ["/home", "/notifications", "/bookmarks", "/@alice", "/@alice/with_replies", "/tags/birds"]) {
        const { html } = await visitor.get(path);
        const all = html.length + stylesheet.content.length + script.content.length;
        expect([path, all > MAX_BYTES ? all : 0]).toEqual([path, 0]);
      }
    }
    await full.stop();
  });
});

test("A form with errors and all of its parts has no serious barrier", async () => {
  const context = await signedIn();
  const tab = new Tab(await context.newPage());
  const { page } = tab;
  await page.goto(`${server.origin}/compose`);
  await page.fill("#text", "Wren! ".repeat(100));
  const file = await pictureFile("png", { width: 400, height: 300 });
  const buffer = Buffer.from(await file.arrayBuffer());
  await page.setInputFiles("#files", { name: "wren.png", mimeType: "image/png", buffer });
  await page.waitForSelector(".upload img");
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  await page.fill("#choice_0", "only one");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForSelector("[aria-invalid]");
  expect(await tab.check(["narrow and light", "wide and dark"])).toEqual([]);
  await context.close();
});

test("A post opens below the bar, with what precedes it in the thread above", async () => {
  const { owner, long } = examples;
  const reply = await owner.publish({ status: "long ".repeat(200), in_reply_to_id: long.id });
  const context = await signedIn();
  const page = await context.newPage();
  for (const [id, isScrolled] of [
    [long.id, false],
    [reply.id, true],
  ]) {
    await page.goto(`${server.origin}/@robin/${id}`);
    const [scrolled, bar, top] = await page.evaluate<[number, number, number]>(`(() => {
      const [bar, post] = [".top", "article.main"].map((part) => document.querySelector(part).getBoundingClientRect());
      return [scrollY, bar.bottom, post.top];
    })()`);
    expect([id, scrolled > 0, top >= bar]).toEqual([id, isScrolled, true]);
  }
  await context.close();
});

test("A post is printed in light colours, with its warning open, and without what only a screen can do", async () => {
  const context = await signedIn({ colorScheme: "dark" });
  const page = await context.newPage();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto(`${server.origin}/@robin/${examples.warning.id}`);
  const [visible, colors] = await page.evaluate<[string[], string[]]>(`(() => {
    const parts = ["nav", "footer", "button", ".menu", "details .content"];
    const { color, backgroundColor } = getComputedStyle(document.body);
    const isVisible = (part) => [...document.querySelectorAll(part)].some((element) => element.checkVisibility());
    return [parts.filter(isVisible), [color, backgroundColor]];
  })()`);
  expect([visible, colors]).toEqual([["details .content"], ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]]);
  await context.close();
});
