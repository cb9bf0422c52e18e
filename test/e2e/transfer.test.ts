import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { fits, launchBrowser, violationsOn } from "../support/browser.ts";
import { Transfer } from "../support/imports.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(60_000);

let browser: Browser;
let server: TestServer;
let context: BrowserContext;
let page: Page;
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

test("A list is imported, its failures and the list are downloaded, on a narrow screen without JavaScript", async () => {
  const alice = await server.person("alice");
  await server.person("bob");
  context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    locale: "en-GB",
    javaScriptEnabled: false,
  });
  page = await context.newPage();
  violations = violationsOn(page);
  const { handleDomain } = server.ctx.config;
  await page.goto(`${server.origin}/sign-in?lang=en`);
  await page.fill("#login", "alice");
  await page.fill("#password", "correct horse");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
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
