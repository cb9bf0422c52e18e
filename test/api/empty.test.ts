import { describe, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice } = serverForAllTests(["alice"]);

/** What apps ask for when they start, and this server has none of. */
const FOR_EVERYONE = [
  "/api/v1/custom_emojis",
  "/api/v1/trends",
  "/api/v1/trends/tags",
  "/api/v1/trends/statuses",
  "/api/v1/trends/links",
  "/api/v1/instance/rules",
];
const FOR_PEOPLE = [
  "/api/v1/announcements",
  "/api/v1/suggestions",
  "/api/v2/suggestions",
  "/api/v1/filters",
  "/api/v2/filters",
  "/api/v1/lists",
  "/api/v1/followed_tags",
  "/api/v1/featured_tags",
  "/api/v1/conversations",
  "/api/v1/scheduled_statuses",
  "/api/v1/follow_requests",
  "/api/v1/blocks",
  "/api/v1/mutes",
  "/api/v1/domain_blocks",
  "/api/v1/endorsements",
  "/api/v1/favourites",
  "/api/v1/bookmarks",
  "/api/v1/notifications",
];

describe("An empty list", () => {
  test.each([...FOR_EVERYONE, ...FOR_PEOPLE])("%s is answered as one, in JSON", async (path) => {
    for (const query of ["", "?limit=200"]) {
      const { status, json, headers } = await alice.get(path + query);
      expect([status, json, headers.get("content-type")]).toEqual([
        200,
        [],
        expect.stringContaining("application/json"),
      ]);
    }
  });

  test.each(FOR_EVERYONE)("%s is open to strangers", async (path) => {
    expect((await server.stranger().get(path)).status).toBe(200);
  });

  test.each(FOR_PEOPLE)("%s is not", async (path) => {
    const { status, json } = await server.stranger().get(path);
    expect([status, json]).toEqual([401, { error: "The access token is invalid" }]);
  });

  test("of somebody's lists and featured tags is one too", async () => {
    for (const path of ["lists", "featured_tags"]) {
      expect((await alice.get(`/api/v1/accounts/${alice.id}/${path}`)).json).toEqual([]);
    }
  });
});
