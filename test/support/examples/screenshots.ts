/*
 * `bun run screenshots`: takes the pictures of the README, docs/images, from a server with example content. It uses no
 * network besides this machine.
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { launchBrowser } from "../browser.ts";
import { startServer } from "../server.ts";
import { browserOrSkip } from "../tools.ts";
import { addExamples, examplePicture } from "./content.ts";

const FOLDER = join(import.meta.dir, "../../../docs/images");
const WIDE = { width: 1000, height: 900 };
const NARROW = { width: 390, height: 844 };

interface Shot {
  name: string;
  path: string;
  size: typeof WIDE;
  colorScheme: "light" | "dark";
  /** Actions on the page before the screenshot. */
  prepare?(): Promise<void>;
}

const SHOTS: Shot[] = [
  { name: "home", path: "/home", size: WIDE, colorScheme: "dark" },
  { name: "profile", path: "/@robin", size: NARROW, colorScheme: "light" },
  { name: "compose", path: "/compose", size: NARROW, colorScheme: "light", prepare: writePost },
  { name: "settings", path: "/settings", size: NARROW, colorScheme: "dark" },
];

async function writePost(): Promise<void> {
  await page.fill("#text", "The reeds are full of frost, and nobody is up yet. #birds");
  await page.setInputFiles("#files", { name: "reeds.png", mimeType: "image/png", buffer: await examplePicture() });
  await page.waitForSelector(".upload img");
  await page.getByLabel("Description of file 1").fill("Low hills behind still water, seen over reeds");
  await page.locator("h1").click();
}

const program = browserOrSkip();
if (program === null) process.exit(1);
mkdirSync(FOLDER, { recursive: true });
const server = await startServer({
  LINNET_URL: "https://ashdown.example",
  LINNET_TITLE: "Ashdown",
  // The pictures of other servers come from this machine.
  LINNET_ALLOW_PRIVATE_ADDRESSES: "on",
});
const examples = await addExamples(server);
const browser = await launchBrowser(program);
const context = await browser.newContext({ viewport: WIDE, deviceScaleFactor: 1.5, locale: "en-GB" });
const page = await context.newPage();
await page.goto(`${server.origin}/sign-in`);
await page.fill("#login", "robin");
await page.fill("#password", "correct horse");
await page.keyboard.press("Enter");
await page.waitForURL("**/home");
for (const shot of SHOTS) console.log(await take(shot));
await browser.close();
await server.stop();
await examples.stop();
process.exit();

/** Takes a picture of a page. Returns its path and size. */
async function take({ name, path, size, colorScheme, prepare }: Shot): Promise<string> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  await page.goto(server.origin + path, { waitUntil: "load" });
  await prepare?.();
  const file = join(FOLDER, `${name}.webp`);
  await sharp(await page.screenshot())
    .webp({ quality: 80 })
    .toFile(file);
  return `docs/images/${name}.webp: ${Math.ceil(statSync(file).size / 1024)} kB`;
}
