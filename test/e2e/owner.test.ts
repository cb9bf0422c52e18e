import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { newSetupToken } from "../../src/core/people/setup.ts";
import { fits, launchBrowser, violationsOn } from "../support/browser.ts";
import { Transfer } from "../support/imports.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";
import { pictureFile } from "../support/uploads.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);
const NARROW = { viewport: { width: 360, height: 740 }, locale: "en-GB" };
/** More than any page has links and fields. */
const MAX_TABS = 60;

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(60_000);

let browser: Browser;
let server: TestServer;
let context: BrowserContext;
let page: Page;
/** Requests and scripts that the content security policy blocked. Must stay empty. */
let violations: string[];

beforeAll(async () => {
  if (program !== null) browser = await launchBrowser(program);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  expect(violations).toEqual([]);
  await context.close();
  await server.stop();
});

async function open(options: BrowserContextOptions = {}): Promise<void> {
  context = await browser.newContext({ ...NARROW, ...options });
  page = await context.newPage();
  violations = violationsOn(page);
}

async function signIn(): Promise<void> {
  await page.goto(`${server.origin}/sign-in`);
  await page.fill("#login", "alice");
  await page.fill("#password", "correct horse");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/home");
}

/** Presses Tab until this link, button or field has the focus, which must be visible. */
async function tabTo(name: string): Promise<void> {
  for (let at = 0; at < MAX_TABS; at++) {
    await page.keyboard.press("Tab");
    const [found, outline] = await page.evaluate<[string, string]>(`(() => {
      const { activeElement: focused } = document;
      const label = focused.labels?.[0]?.textContent ?? focused.title ?? "";
      return [label || focused.textContent.trim(), getComputedStyle(focused).outlineStyle];
    })()`);
    if (found !== name) continue;
    expect([name, outline]).toEqual([name, "solid"]);
    return;
  }
  throw new Error(`Tab doesn't lead to "${name}"`);
}

async function picture(name = "wren.png") {
  const file = await pictureFile("png", { width: 400, height: 300 });
  return { name, mimeType: "image/png", buffer: Buffer.from(await file.arrayBuffer()) };
}

test("a new owner comes from the first start to a post with an image, by keyboard and without scripts", async () => {
  await open({ javaScriptEnabled: false });
  await page.goto(`${server.origin}/setup?token=${newSetupToken(server.ctx)}`);
  await page.focus("#username");
  await page.keyboard.type("alice");
  await page.focus("#password");
  await page.keyboard.type("correct horse");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/welcome");

  await tabTo("Write");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/compose");
  expect(await fits(page)).toBe(true);
  await page.keyboard.type("My first bird");
  await page.setInputFiles("#files", await picture());
  await tabTo("Upload");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".upload img");
  expect([await page.inputValue("#text"), await fits(page)]).toEqual(["My first bird", true]);
  await tabTo("Description of file 1");
  await page.keyboard.type("a wren on a hedge");
  await page.keyboard.press("Tab");
  // From the middle of the picture to the right.
  await page.keyboard.press("ArrowRight");
  await tabTo("Publish");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/@alice/*");
  expect(await page.textContent("main")).toContain("My first bird");
  expect(await page.getAttribute(".media img", "alt")).toBe("a wren on a hedge");
  expect(await fits(page)).toBe(true);
  const row = server.ctx.db.get<{ focus_x: number }>("SELECT focus_x FROM media_attachments");
  expect(row?.focus_x).toBe(0.67);
});

test("the script counts characters, uploads chosen and pasted files, and asks before a draft is lost", async () => {
  await server.person("alice");
  await open({ timezoneId: "Asia/Kolkata" });
  await signIn();
  await page.goto(`${server.origin}/compose`);
  await page.fill("#text", `@bob@far.example 👩‍👩‍👧 https://example.org/${"x".repeat(100)}`);
  expect(await page.textContent("#count")).toBe("30");
  // Alice has signed in for the first time, so her time zone is that of this browser.
  expect(await page.textContent("label[for=scheduled_at]")).toMatch(/Asia.(Kolkata|Calcutta)/);
  await page.setInputFiles("#files", await picture());
  await page.waitForSelector(".upload img");
  expect(await page.textContent("#count")).toBe("30");
  await page.evaluate(`(async () => {
    const image = await (await fetch(document.querySelector(".upload img").src)).blob();
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([image], "pasted.webp", { type: image.type }));
    document.querySelector("#text").dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
  })()`);
  await page.waitForSelector(".upload + .upload");

  const asked = new Promise<string>((resolve) => {
    page.once("dialog", (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    });
  });
  await page.getByRole("link", { name: "Home" }).click({ noWaitAfter: true });
  expect(await asked).toBe("beforeunload");
  await page.focus("#text");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/@alice/*");
  expect(await page.locator(".media img").count()).toBe(2);
});

test("home and notifications say what is new while they are open", async () => {
  const [alice, bob] = [await server.person("alice"), await server.person("bob")];
  await alice.follow(bob);
  await server.drain();
  await bob.publish("the first");
  await open();
  await signIn();
  await bob.publish("the second");
  await page.getByRole("link", { name: "1 new post" }).waitFor();
  await bob.publish("@alice the third");
  await page.getByRole("link", { name: "2 new posts" }).click();
  expect(await page.textContent("main")).toContain("the third");
  expect(await page.title()).not.toContain("(");

  await page.goto(`${server.origin}/notifications`);
  await bob.post(`/api/v1/statuses/${(await alice.publish("a linnet")).id}/favourite`);
  await page.getByRole("link", { name: "1 new notification" }).click();
  await page.waitForSelector("text='favourited your post'");
});

test("times without a chosen zone are those of the browser, and nothing on the page moves for that", async () => {
  const alice = await server.person("alice");
  const { id } = await alice.publish({ status: "noon", poll: { options: ["wren", "robin"], expires_in: 3600 } });
  await alice.post(`/api/v1/statuses/${id}/favourite`);
  await open({ timezoneId: "Asia/Kolkata" });
  const read = () =>
    page.evaluate<[text: string, places: number[]]>(`(() => {
      const parts = [...document.querySelectorAll("article.main .details > *, article.main .poll ~ *")];
      return [document.querySelector("article.main").innerText, parts.map((part) => part.getBoundingClientRect().x)];
    })()`);
  await page.route("**/*.js", (route) => route.abort());
  await page.goto(`${server.origin}/@alice/${id}`);
  const [before, places] = await read();
  expect(before).toMatch(/open until 21 Nov 2026, 13:00 UTC[^]*21 Nov 2026, 12:00 UTC[^]*1 favourite/);
  await page.unroute("**/*.js");
  await page.reload();
  const [after, placesAfter] = await read();
  expect(after).toMatch(/open until 21 Nov 2026, 18:30[^]*21 Nov 2026, 17:30(?! UTC)[^]*1 favourite/);
  expect([places.length > 1, placesAfter]).toEqual([true, places]);

  await signIn();
  server.ctx.db.transaction((tx) => tx.run("UPDATE users SET time_zone = NULL"));
  await page.goto(`${server.origin}/settings/appearance`);
  expect(await page.inputValue("#time_zone")).toMatch(/^Asia.(Kolkata|Calcutta)$/);
  await page.getByRole("button", { name: "Save" }).click();
  await page.goto(`${server.origin}/@alice/${id}`);
  expect(await page.innerText("article.main time")).toContain("18:30");
});

test("a list is imported, its failures and the list are downloaded, on a narrow screen without JavaScript", async () => {
  const alice = await server.person("alice");
  await server.person("bob");
  await open({ javaScriptEnabled: false });
  const { handleDomain } = server.ctx.config;
  await signIn();
  await page.goto(`${server.origin}/settings`);
  await page.getByRole("link", { name: "Import" }).click();
  const buffer = Buffer.from(`bob@${handleDomain}\r\nnobody@${handleDomain}\r\n`);
  await page.getByLabel("File", { exact: true }).setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  expect(await page.locator("[aria-invalid]").count()).toBe(1);
  await page.getByLabel("File", { exact: true }).setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await page.getByLabel("What the file contains").selectOption("Blocks");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await new Transfer(() => server, alice).finish();
  await page.reload();
  expect(await page.locator("#imports").innerText()).toContain("1 of 2 done · 1 failed");
  expect(await fits(page)).toBe(true);
  const failures = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download what failed" }).click();
  expect(readFileSync(await (await failures).path(), "utf8")).toStartWith("Account address,Reason\nnobody@");
  await page.goto(`${server.origin}/settings/export`);
  expect(await fits(page)).toBe(true);
  const blocks = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download Blocks" }).click();
  expect((await blocks).suggestedFilename()).toBe("blocked_accounts.csv");
  expect(readFileSync(await (await blocks).path(), "utf8")).toBe(`bob@${handleDomain}\n`);
});
