import { afterAll, beforeAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import type { Browser } from "playwright-core";
import { createUser } from "../../src/core/people/users.ts";
import { fits, launchBrowser, violationsOn } from "../support/browser.ts";
import { IdentityProvider } from "../support/identity-provider.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(60_000);

let browser: Browser;
let provider: IdentityProvider;
let server: TestServer;

beforeAll(async () => {
  if (program === null) return;
  // Another site than that of the server, so that its cookies are sent only as browsers send them across sites.
  provider = await IdentityProvider.start("localhost");
  [browser, server] = await Promise.all([launchBrowser(program), startServer(provider.settings)]);
  provider.clock = server.clock;
  provider.signedIn = { sub: "4711", email: "alice@id.example" };
  await createUser(server.ctx, { username: "alice", password: "correct horse" });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.stop();
});

test("A user links an account of a provider, and signs in with it, in a browser without scripts", async () => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    locale: "en-GB",
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  const violations = violationsOn(page);
  await page.goto(`${server.origin}/settings/security`);
  await page.fill("#login", "alice");
  await page.fill("#password", "correct horse");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Link Example" }).click();
  await page.getByText("The account is linked.").waitFor();
  expect(await page.getByRole("button", { name: "Unlink alice@id.example of Example" }).count()).toBe(1);
  await context.clearCookies();
  await page.goto(`${server.origin}/settings/profile`);
  await page.getByRole("button", { name: "Sign in with Example" }).click();
  await page.waitForURL(/\/settings\/profile/);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Profile");
  expect(violations).toEqual([]);
  await context.close();
});

test("The pages about e-mail and providers fit on a phone", async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: "de-DE" });
  const page = await context.newPage();
  for (const path of ["/sign-in", "/password-reset", "/password-reset/new?token=x"]) {
    await page.goto(server.origin + path);
    expect([path, await fits(page)]).toEqual([path, true]);
  }
  await context.close();
});
