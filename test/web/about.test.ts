import { beforeAll, beforeEach, expect, test } from "bun:test";
import { removePage, setPage } from "../../src/core/server/pages.ts";
import { addRule, translateRule } from "../../src/core/server/rules.ts";
import { publishTerms, removeTerms } from "../../src/core/server/terms.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server } = serverForAllTests([], { LINNET_TITLE: "Our place", LINNET_CONTACT_EMAIL: "us@example.org" });
let visitor: Visitor;

const day = (days: number) => new Date(server.clock.now() + days * 24 * 3600_000).toISOString().slice(0, 10);

beforeAll(async () => {
  await server.person("alice");
});
beforeEach(() => {
  visitor = new Visitor(server);
});

test("the about page shows the owner's text, the rules in the visitor's language, and the contact", async () => {
  setPage(server.ctx, "extended_description", "Friends of **birds**. <script>alert(1)</script>");
  const id = addRule(server.ctx, { text: "Be kind.", hint: "To everyone." });
  translateRule(server.ctx, id, "de", { text: "Sei freundlich.", hint: "" });
  const { status, html, text } = await visitor.get("/about");
  expect(status).toBe(200);
  expect(html).toContain("<p>Friends of <strong>birds</strong>. &lt;script&gt;");
  expect(html).toContain('<a href="mailto:us@example.org">');
  for (const words of ["Our place", "Be kind.", "To everyone.", "@alice@localhost:3000"]) expect(text).toContain(words);
  const german = (await visitor.get("/about?lang=de")).text;
  expect(german).toContain("Sei freundlich.");
  expect(german).not.toContain("To everyone.");
  removePage(server.ctx, "extended_description");
});

test("the privacy policy shows its date, and every page links to it", async () => {
  for (const path of ["/", "/about", "/sign-in"]) {
    expect((await visitor.get(path)).html).toContain('<a href="/privacy-policy">');
  }
  const { status, text } = await visitor.get("/privacy-policy");
  expect([status, text]).toEqual([
    200,
    expect.stringMatching(/Last updated on \d+ \w+ \d{4} .*they are not encrypted/),
  ]);
});

test("published terms of service are shown with the date from which they apply", async () => {
  const missing = async (path: string) => (await visitor.get(path)).status;
  expect([await missing("/terms-of-service"), await missing(`/terms-of-service/${day(0)}`)]).toEqual([404, 404]);
  expect((await visitor.get("/about")).html).not.toContain("/terms-of-service");
  publishTerms(server.ctx, "First terms.");
  publishTerms(server.ctx, "Second terms.", day(10));
  expect((await visitor.get("/about")).html).toContain('<a href="/terms-of-service">');
  const now = await visitor.get("/terms-of-service");
  expect(now.text).toMatch(/In effect since \d+ \w+ \d{4}\..*New terms apply.*First terms\./);
  expect(now.html).toContain(`<a href="/terms-of-service/${day(10)}">`);
  expect((await visitor.get(`/terms-of-service/${day(10)}`)).text).toMatch(/In effect from .*\..*Second terms\./);
  for (const date of [day(0), day(10)]) removeTerms(server.ctx, date);
});
