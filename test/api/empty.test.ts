import { describe, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice } = serverForAllTests(["alice"]);

/** Methods whose lists are empty on a new server. */
const FOR_EVERYONE = [
  "/api/v1/custom_emojis",
  "/api/v1/trends",
  "/api/v1/trends/tags",
  "/api/v1/trends/statuses",
  "/api/v1/trends/links",
  "/api/v1/instance/rules",
];
const FOR_USERS = [
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
  test.each([...FOR_EVERYONE, ...FOR_USERS])("of %s is an empty JSON array", async (path) => {
    for (const query of ["", "?limit=200"]) {
      const { status, json, headers } = await alice.get(path + query);
      expect([status, json, headers.get("content-type")]).toEqual([
        200,
        [],
        expect.stringContaining("application/json"),
      ]);
    }
  });

  test.each(FOR_EVERYONE)("of %s is visible to strangers", async (path) => {
    expect((await server.stranger().get(path)).status).toBe(200);
  });

  test.each(FOR_USERS)("of %s is hidden from strangers", async (path) => {
    const { status, json } = await server.stranger().get(path);
    expect([status, json]).toEqual([401, { error: "The access token is invalid" }]);
  });

  test("of an account's lists and featured tags is an empty JSON array", async () => {
    for (const path of ["lists", "featured_tags"]) {
      expect((await alice.get(`/api/v1/accounts/${alice.id}/${path}`)).json).toEqual([]);
    }
  });
});
