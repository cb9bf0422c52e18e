import { expect, test } from "bun:test";
import { parseColor } from "../../src/lib/color.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { pictureFile } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const PAGE = "/settings/server";
const { server } = serverForAllTests(["alice"]);
const visitor = new Visitor(server);

const get = (path: string) => fetch(new URL(path, server.origin), { redirect: "manual" });

async function owner(): Promise<Visitor> {
  const alice = new Visitor(server);
  await alice.signIn("alice");
  await alice.get(PAGE);
  return alice;
}

test("the owner's color and styles are on every page, in one more file", async () => {
  expect((await visitor.get("/about")).html.match(/rel="stylesheet"/g)).toHaveLength(1);
  const alice = await owner();
  await alice.press("Save", { accent: "#ffee00", css: "main { border-radius: 0 }" });
  const { html } = await visitor.get("/about");
  const path = /href="(\/theme\/[^"]*)"/.exec(html)![1]!;
  const response = await get(path);
  const css = await response.text();
  expect(response.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(css).toContain("main { border-radius: 0 }");
  expect((await get("/theme/other.css")).status).toBe(404);
  // The page that changes the styles must stay usable.
  expect((await alice.get(PAGE)).html).not.toContain("/theme/");
  // Yellow on white can't be read, so it is darker there.
  const accents = [...css.matchAll(/--accent: (#\w{6})/g)].map(([, color]) => parseColor(color!)!);
  expect(accents[0]![0]).toBeLessThan(0.7);
  expect(accents[1]![0]).toBe(1);
  await alice.get(PAGE);
  await alice.press("Save", { has_accent: undefined, css: "" });
  expect((await alice.get(PAGE)).html).not.toMatch(/name="has_accent"[^>]*checked/);
  expect((await visitor.get("/about")).html).not.toContain("/theme/");
});

test.each(["@import 'x'", "a { background: URL(//evil) }", "b { src: image-set('x' 1x) }", "c\\75 rl(x)", "</style>"])(
  "styles that could load files are refused, and what was typed stays: %p",
  async (css) => {
    const alice = await owner();
    const { status, text, forms } = await alice.press("Save", { css, ai: undefined });
    expect([status, text]).toEqual([422, expect.stringContaining("must not load files")]);
    expect(forms.find(({ action }) => action === PAGE)!.fields).toMatchObject({ css });
    expect((await visitor.get("/about")).html).not.toContain("/theme/");
  },
);

test("robots.txt follows the owner's switches, and pages are not indexed if the owner says so", async () => {
  await server.stranger().get("/");
  expect(await (await get("/robots.txt")).text()).toStartWith("User-agent: *\nDisallow: /api/\n");
  const alice = await owner();
  await alice.press("Save", { indexed: undefined, ai: undefined });
  const robots = await (await get("/robots.txt")).text();
  expect(robots).toContain("User-agent: GPTBot\n");
  expect(robots).toEndWith("\nUser-agent: *\nDisallow: /\n");
  await alice.get(PAGE);
  await alice.press("Save", { indexed: "1", ai: "1" });
});

test("the owner's icon is on the pages, in the manifest and on home screens, and can be removed", async () => {
  const manifest = async () => (await get("/manifest.webmanifest")).json();
  expect(await manifest()).toMatchObject({
    start_url: "/home",
    icons: [{ src: "/icons/192.png" }, { src: "/icons/512.png" }],
  });
  const alice = await owner();
  await alice.press("Save", { icon: await pictureFile("png", { width: 600, height: 600 }) });
  const { html } = await visitor.get("/about");
  expect(html).toMatch(/<link rel="icon" href="\/media\/site\/[^"]*" type="image\/png"/);
  expect(html).toMatch(/class="logo" src="\/media\/site\//);
  for (const { src } of (await manifest()).icons)
    expect((await get(src)).headers.get("content-type")).toBe("image/png");
  expect((await get("/apple-touch-icon.png")).headers.get("location")).toStartWith("/media/site/");
  await alice.get(PAGE);
  await alice.press("Save", { remove_icon: "1" });
  expect((await visitor.get("/about")).html).not.toContain("/media/site/");
  expect((await get("/apple-touch-icon.png")).headers.get("location")).toBe("/icons/192.png");
});

test("only the owner sees and changes how the server looks", async () => {
  await server.person("bob", { role: "user" });
  const bob = new Visitor(server);
  await bob.signIn("bob");
  expect((await bob.get("/settings")).html).not.toContain(PAGE);
  expect((await bob.get(PAGE)).status).toBe(404);
  const { csrf } = (await bob.get("/settings")).forms[0]!.fields;
  expect((await bob.upload(PAGE, { csrf, css: "a{}" })).status).toBe(404);
});

test("on a server for its users only, robots.txt keeps all robots away", async () => {
  const closed = await startServer({ LINNET_LIMITED_FEDERATION: "on" });
  expect(await (await fetch(new URL("/robots.txt", closed.origin))).text()).toContain("User-agent: *\nDisallow: /\n");
  await closed.stop();
});
