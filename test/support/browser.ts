import { chromium, type Browser, type Page } from "playwright-core";

/** Starts a browser that requests nothing on its own. */
export function launchBrowser(program: string): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-backbackground-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Collects requests and scripts that the content security policy blocks. */
export function violationsOn(page: Page): string[] {
  const violations: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) violations.push(message.text());
  });
  return violations;
}

/** Whether a page can be read without horizontal scrolling. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
}
