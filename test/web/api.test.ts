import { beforeAll, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor, type Seen } from "./visitor.ts";

const { server } = serverForAllTests();
let page: Seen;

beforeAll(async () => {
  page = await new Visitor(server).get("/api");
});

/** The text about a method. */
function about(path: string): string {
  const details = page.html.split("<details>").find((part) => part.includes(`<code>${path}</code>`))!;
  return details
    .split("</details>")[0]!
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

test("the API page groups methods by area, with their scopes and parameters", () => {
  expect(page.status).toBe(200);
  expect(page.html).toContain('<a href="#lists">Lists</a>');
  expect(page.html).toContain('<section class="methods" id="lists"><h2>Lists</h2>');
  expect(about("/api/v1/lists/{id}/accounts")).toBe(
    "get /api/v1/lists/{id}/accounts List the accounts in a list Requires the scope read:lists. " +
      "max_id string since_id string min_id string limit integer from 0 to 80 (default: 40)",
  );
  expect(about("/api/v1/apps")).toContain("No token required. client_name required string");
  expect(about("/api/v1/scheduled_statuses")).toContain("Requires the scope read:statuses.");
});

test("nested parameters have the names that forms use", () => {
  const { html } = page;
  for (const name of ["poll[options][]", "keywords_attributes[][keyword]", "data[alerts][mention]", "media_ids[]"]) {
    expect(html).toContain(`<dt><code>${name}</code>`);
  }
});

test("a method shows PATCH together with PUT", () => {
  expect(page.html).not.toContain('<span class="verb patch">');
  expect(page.text).toContain("PATCH does the same.");
});

test("the page needs no scripts and no other sites, and the about page links to it", async () => {
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.html).not.toMatch(/<script|<iframe|src="http/);
  expect((await new Visitor(server).get("/about")).html).toContain('<a href="/api">');
});
