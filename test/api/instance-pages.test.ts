import { describe, expect, spyOn, test } from "bun:test";
import { createRequire } from "node:module";
import type MarkdownItClass from "markdown-it";
import { removePage, setPage } from "../../src/core/server/pages.ts";
import { publishTerms, removeTerms } from "../../src/core/server/terms.ts";
import type { Answer } from "../support/client.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

/** The one that the server uses, which it loads when it first needs it. */
const MarkdownIt = createRequire(import.meta.url)("markdown-it") as typeof MarkdownItClass;

const DAY = 24 * 3600_000;

const { server } = serverForEachTest([], { LINNET_HANDLE_DOMAIN: "example.org" });

const get = (path: string): Promise<Answer> => server.stranger().get(`/api/v1/instance/${path}`);
const today = (days = 0) => new Date(server.clock.now() + days * DAY).toISOString().slice(0, 10);

describe("The extended description", () => {
  test("is empty by default", async () => {
    const { status, json } = await get("extended_description");
    expectShape(json, "ExtendedDescription");
    expect([status, json.content]).toEqual([200, ""]);
  });

  test("is converted from Markdown to HTML, with the time of its last change", async () => {
    setPage(server.ctx, "extended_description", "## Who we are\n\nFriends of %{domain}, since *1999*.\n\n- one\n- two");
    const { json } = await get("extended_description");
    expectShape(json, "ExtendedDescription");
    expect(json).toEqual({
      updated_at: new Date(server.clock.now()).toISOString(),
      content:
        "<h2>Who we are</h2>\n<p>Friends of example.org, since <em>1999</em>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n",
    });
    removePage(server.ctx, "extended_description");
    expect((await get("extended_description")).json.content).toBe("");
  });

  test.each([
    ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"],
    ["<b onclick=x>b</b>", "<p>&lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"],
    ["[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"],
    ["![x](https://example.org/x.png)", '<p>!<a href="https://example.org/x.png">x</a></p>\n'],
    ["https://example.org/", '<p><a href="https://example.org/">https://example.org/</a></p>\n'],
  ])("is free of scripts and images for %p", async (text, html) => {
    setPage(server.ctx, "extended_description", text);
    expect((await get("extended_description")).json.content).toBe(html);
  });

  inProcess("is converted once for many requests", async () => {
    const render = spyOn(MarkdownIt.prototype, "render");
    try {
      setPage(server.ctx, "extended_description", "Asked for *often*.");
      for (let times = 0; times < 3; times++) {
        expect((await get("extended_description")).json.content).toBe("<p>Asked for <em>often</em>.</p>\n");
      }
      expect(render).toHaveBeenCalledTimes(1);
    } finally {
      render.mockRestore();
    }
  });

  test("has a limited length", () => {
    for (const text of ["", " \n", "x".repeat(200_001)]) {
      expect(() => setPage(server.ctx, "extended_description", text)).toThrow(/empty|too long/);
    }
  });
});

describe("The privacy policy", () => {
  test("has a default text about the data that this software stores", async () => {
    const { status, json } = await get("privacy_policy");
    expectShape(json, "PrivacyPolicy");
    expect([status, json.content]).toEqual([200, expect.stringContaining("<strong>example.org</strong>")]);
    for (const words of [
      "Your password is stored as a hash",
      "they are not encrypted",
      "<h2>Data that is not stored</h2>",
    ]) {
      expect(json.content).toContain(words);
    }
    expect(json.content).not.toContain("%{");
  });

  test("can be replaced by the owner", async () => {
    setPage(server.ctx, "privacy_policy", "We keep nothing.");
    const { json } = await get("privacy_policy");
    expect(json).toEqual({
      updated_at: new Date(server.clock.now()).toISOString(),
      content: "<p>We keep nothing.</p>\n",
    });
  });
});

describe("The terms of service", () => {
  test("are not found before the owner publishes them", async () => {
    for (const path of ["terms_of_service", `terms_of_service/${today()}`, "terms_of_service/nonsense"]) {
      const { status, json } = await get(path);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
    expect((await server.stranger().get("/api/v2/instance")).json.configuration.urls.terms_of_service).toBeNull();
  });

  test("apply from their date, and name the date of their successor", async () => {
    publishTerms(server.ctx, "First.");
    publishTerms(server.ctx, "Second, at %{domain}.", today(10));
    const first = { effective_date: today(), effective: true, content: "<p>First.</p>\n", succeeded_by: today(10) };
    const second = {
      effective_date: today(10),
      effective: false,
      content: "<p>Second, at example.org.</p>\n",
      succeeded_by: null,
    };
    const { json } = await get("terms_of_service");
    expectShape(json, "TermsOfService");
    expect(json).toEqual(first);
    expect((await get(`terms_of_service/${today(10)}`)).json).toEqual(second);
    server.clock.advance(10 * DAY);
    expect((await get("terms_of_service")).json).toEqual({ ...second, effective: true });
    expect((await get(`terms_of_service/${first.effective_date}`)).json).toEqual(first);
    expect((await get(`terms_of_service/${today(1)}`)).status).toBe(404);
    const { urls } = (await server.stranger().get("/api/v2/instance")).json.configuration;
    expect(urls.terms_of_service).toBe(`${server.ctx.config.origin}/terms-of-service`);
  });

  test("are the next ones if none apply yet", async () => {
    publishTerms(server.ctx, "Later.", today(20));
    publishTerms(server.ctx, "Soon.", today(10));
    expect((await get("terms_of_service")).json).toMatchObject({ effective_date: today(10), effective: false });
  });

  test("can be replaced until they apply, and cannot be published for past dates", () => {
    publishTerms(server.ctx, "Draft.", today(1));
    publishTerms(server.ctx, "Better.", today(1));
    publishTerms(server.ctx, "Now.");
    expect(() => publishTerms(server.ctx, "Otherwise.")).toThrow("already take effect today");
    expect(() => publishTerms(server.ctx, "Before.", today(-1))).toThrow("is in the past");
    removeTerms(server.ctx, today(1));
    expect(() => removeTerms(server.ctx, today(1))).toThrow("There are no terms");
  });
});
