import { chromium, type Browser } from "playwright-core";

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
