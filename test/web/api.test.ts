import { beforeAll, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor, type Seen } from "./visitor.ts";

const { server } = serverForAllTests();
let page: Seen;
/** The pages of all areas, one after the other. */
let areas: string;

beforeAll(async () => {
  const visitor = new Visitor(server);
  page = await visitor.get("/api");
  const links = [...page.html.matchAll(/<h2><a href="([^"]+)"/g)].map(([, link]) => link!);
  areas = "";
  for (const link of links) areas += (await visitor.get(link)).html;
});

/** The text about a method. */
function about(path: string): string {
  const details = areas.split("<details>").find((part) => part.includes(`<code>${path}</code>`))!;
  return details
    .split("</details>")[0]!
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

test("the API page groups methods by area, with their scopes and parameters", () => {
  expect(page.status).toBe(200);
  expect(page.html).toContain('<h2><a href="/api?area=lists">Lists</a></h2>');
  expect(page.html).toContain("<code>/api/v1/lists/{id}/accounts</code>");
  expect(areas).toContain("<h1>Lists</h1>");
  expect(about("/api/v1/lists/{id}/accounts")).toBe(
    "get /api/v1/lists/{id}/accounts List the accounts in a list Requires the scope read:lists. " +
      "max_id string since_id string min_id string limit integer from 0 to 80 (default: 40)",
  );
  expect(about("/api/v1/apps")).toContain("No token required. client_name required string");
  expect(about("/api/v1/scheduled_statuses")).toContain("Requires the scope read:statuses.");
});

test("nested parameters have the names that forms use", () => {
  for (const name of ["poll[options][]", "keywords_attributes[][keyword]", "data[alerts][mention]", "media_ids[]"]) {
    expect(areas).toContain(`<dt><code>${name}</code>`);
  }
});

test("a method shows PATCH together with PUT", () => {
  expect(areas + page.html).not.toContain('<span class="verb patch">');
  expect(areas).toContain("PATCH does the same.");
});

test("an unknown area is not found", async () => {
  expect((await new Visitor(server).get("/api?area=nothing")).status).toBe(404);
});

test("the page needs no scripts and no other sites, and the about page links to it", async () => {
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.html).not.toMatch(/<script|<iframe|src="http/);
  expect((await new Visitor(server).get("/about")).html).toContain('<a href="/api">');
});
