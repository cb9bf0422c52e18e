import { afterAll, beforeAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { Secret, TOTP } from "otpauth";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { browserOrSkip } from "../support/tools.ts";

const program = browserOrSkip();
const test = anyTest.skipIf(program === null);
const SECURITY = "/settings/security";
const MINUTE = 60_000;

// Starting a browser takes a while on a small, busy machine.
setDefaultTimeout(60_000);

let browser: Browser;
let server: TestServer;
let origin: string;

beforeAll(async () => {
  if (program === null) return;
  const port = freePort();
  // Browsers allow passkeys at localhost, but at no IP address.
  origin = `http://localhost:${port}`;
  [browser, server] = await Promise.all([
    launchBrowser(program),
    startServer({ LINNET_URL: origin, LINNET_PORT: String(port) }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** A page of a fresh browser, with what the content security policy blocked. */
async function open(options: { javaScriptEnabled?: boolean } = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  const violations: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) violations.push(message.text());
  });
  return { context, page, violations };
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.fill("#login", name);
  await page.fill("#password", "correct horse");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** A phone with a fingerprint sensor, which answers at once unless its user is not present. */
async function authenticatorOf(context: BrowserContext, page: Page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setPresent: (enabled: boolean) =>
      devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }),
  };
}

test("a user adds a passkey, and it signs in alone, after the password, and to sensitive pages", async () => {
  await server.person("alice");
  const { context, page, violations } = await open();
  const phone = await authenticatorOf(context, page);
  const usePasskey = () => page.getByRole("button", { name: "Use a passkey" }).click();
  await signIn(page, "alice");
  await page.waitForURL(`${origin}/home`);
  await page.goto(origin + SECURITY);
  await page.fill("#name", "My phone");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  // The script sends the form once the device has answered.
  await page.locator(".recovery-codes").waitFor();
  expect(await page.locator(".recovery-codes code").count()).toBe(10);
  await page.goto(origin + SECURITY);
  expect(await page.textContent("main")).toContain("My phone");

  // A second one of the same device is refused by the browser, and the page says so.
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("No passkey was added.").waitFor();

  server.clock.advance(16 * MINUTE);
  await page.reload();
  await usePasskey();
  await page.getByRole("heading", { name: "Security" }).waitFor();

  // The browser offers the passkey in the field for the name.
  await context.clearCookies();
  await page.goto(`${origin}/sign-in?return_to=/settings`);
  await page.waitForURL(`${origin}/settings`);

  await context.clearCookies();
  await phone.setPresent(false);
  await signIn(page, "alice");
  await page.waitForURL("**/second-step?*");
  await phone.setPresent(true);
  await usePasskey();
  await page.waitForURL(`${origin}/home`);
  expect(violations).toEqual([]);
  await context.close();
});

test("a user sets up an authenticator app and signs in with its code, without JavaScript", async () => {
  await server.person("bob");
  const { context, page } = await open({ javaScriptEnabled: false });
  await signIn(page, "bob");
  await page.goto(`${origin}${SECURITY}`);
  expect(await page.getByRole("button", { name: "Add a passkey" }).isVisible()).toBe(false);
  await page.getByRole("link", { name: "Set up an app" }).click();
  expect(await page.getByRole("img", { name: "QR code for the authenticator app" }).isVisible()).toBe(true);
  const app = new TOTP({ secret: Secret.fromBase32((await page.textContent("output"))!.replaceAll(" ", "")) });
  const code = () => app.generate({ timestamp: server.clock.now() });
  await page.fill("#code", code());
  await page.getByRole("button", { name: "Turn codes on" }).click();
  const [recoveryCode] = await page.locator(".recovery-codes code").allTextContents();
  for (const typed of [code, () => recoveryCode!]) {
    await context.clearCookies();
    server.clock.advance(MINUTE);
    await signIn(page, "bob");
    await page.fill("#code", typed());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(`${origin}/home`);
  }
  await context.close();
});
