import { beforeEach, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob", "alan"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

const me = async () => (await alice.get("/api/v1/profile")).json;

test("the page for privacy sets each of its switches alone", async () => {
  const names = ["locked", "discoverable", "indexable", "hide_collections"];
  const shown = ["show_media", "show_media_replies", "show_featured"];
  for (const name of [...names, ...shown]) {
    await visitor.get("/settings/privacy");
    const none = Object.fromEntries([...names, ...shown].map((each) => [each, undefined]));
    await visitor.press("Save", { ...none, [name]: "1" });
    const profile = await me();
    expect([...names, ...shown].filter((each) => profile[each])).toEqual([name]);
    expect((await visitor.follow()).forms[0]!.fields).toMatchObject({ [name]: "1" });
  }
});

test("the page for notifications sets the policy, and its requests are accepted and dismissed", async () => {
  const policy = { for_not_following: "filter", for_new_accounts: "drop", for_limited_accounts: "accept" };
  await visitor.get("/settings/notifications");
  await visitor.press("Save", policy);
  expect((await alice.get("/api/v2/notifications/policy")).json).toMatchObject(policy);
  expect((await visitor.follow()).forms[0]!.fields).toMatchObject(policy);
  await visitor.press("Save", { for_new_accounts: "accept", for_not_followers: "often" });
  const requests = "/settings/notifications/requests";
  expect((await visitor.get(requests)).text).toContain("No notifications are filtered.");
  const mention = async () => {
    await bob.publish({ status: "@alice hello" });
    await server.drain();
    return (await visitor.get(requests)).text;
  };
  expect(await mention()).toContain("1 filtered mention or quote");
  expect((await visitor.get("/notifications")).html).toContain(`href="${requests}"`);
  await visitor.get(requests);
  await visitor.press("Dismiss");
  expect((await visitor.follow()).text).toContain("No notifications are filtered.");
  expect(await mention()).toContain("1 filtered mention or quote");
  await visitor.press("Accept");
  await server.drain();
  expect(await mention()).toContain("No notifications are filtered.");
  expect((await alice.get("/api/v1/notifications")).json).toHaveLength(2);
});

test("the pages for filters add, change and delete one, with its words", async () => {
  await visitor.get("/settings/filters/new");
  const contexts = Object.fromEntries(["public", "thread", "account"].map((each) => [`context_${each}`, undefined]));
  await visitor.press("Save", {
    title: "Spoilers",
    action: "hide",
    expiry: "3600",
    keyword_new0: "finale",
    keyword_new2: " season two ",
    whole_new2: undefined,
    ...contexts,
  });
  const filters = async () => (await alice.get("/api/v2/filters")).json;
  const [filter] = await filters();
  expect(filter).toMatchObject({
    title: "Spoilers",
    context: ["home", "notifications"],
    filter_action: "hide",
    keywords: [
      { keyword: "finale", whole_word: true },
      { keyword: "season two", whole_word: false },
    ],
  });
  expect(Date.parse(filter.expires_at)).toBe(server.clock.now() + 3600_000);
  expect((await visitor.follow()).text).toMatch(
    /Spoilers finale, season two Hide · Home and lists, Notifications · Until/,
  );
  const path = `/settings/filters/${filter.id}`;
  const [first, second] = filter.keywords.map(({ id }: Json) => `keyword_${id}`);
  await visitor.get(path);
  await visitor.press("Save", { [first]: "", [second]: "season three", keyword_new1: "ending" });
  const [changed] = await filters();
  expect(changed.keywords.map(({ keyword }: Json) => keyword)).toEqual(["season three", "ending"]);
  expect(changed.expires_at).toBe(filter.expires_at);
  await visitor.get(path);
  await visitor.press("Delete this filter");
  expect(await filters()).toEqual([]);
});

test("a refused filter says what is wrong beside the field, and keeps what was typed", async () => {
  await visitor.get("/settings/filters/new");
  const none = Object.fromEntries(
    ["home", "notifications", "public", "thread", "account"].map((each) => [`context_${each}`, undefined]),
  );
  const long = "x".repeat(513);
  const noPlace = await visitor.press("Save", { title: "Old news", keyword_new1: "news", ...none });
  expect([noPlace.status, noPlace.html]).toEqual([422, expect.stringContaining('id="context-error"')]);
  expect(noPlace.forms[0]!.fields).toMatchObject({ title: "Old news", keyword_new1: "news" });
  const tooLong = await visitor.press("Save", { context_home: "1", keyword_new1: long });
  expect(tooLong.html).toContain('id="keywords-error"');
  expect((await visitor.press("Save", { context_home: "1", title: " " })).html).toContain('id="title-about"');
  const empty = await visitor.press("Save", { context_home: "1", keyword_new1: " " });
  expect(empty.html).toMatch(/id="keywords-error"[^>]*>Enter at least one word/);
  expect(empty.html).toMatch(/<input[^>]*name="keyword_new0"[^>]*autofocus/);
  expect((await alice.get("/api/v2/filters")).json).toEqual([]);
  await visitor.get("/settings/filters");
  expect((await visitor.get("/settings/filters/999")).status).toBe(404);
});

test("posts that an app added to a filter are listed, and can be removed", async () => {
  const [first, second] = [await bob.publish("noise one"), await bob.publish("noise two")];
  const { id } = (await alice.post("/api/v2/filters", { title: "Noise", context: ["home"] })).json;
  for (const post of [first, second]) await alice.post(`/api/v2/filters/${id}/statuses`, { status_id: post.id });
  await bob.delete(`/api/v1/statuses/${second.id}`);
  const page = await visitor.get(`/settings/filters/${id}`);
  expect([page.html, page.text]).toEqual([
    expect.stringContaining(`href="/@bob/${first.id}"`),
    expect.stringContaining("noise one"),
  ]);
  expect((await visitor.press("Save", { title: "Loud" })).location).toContain("saved");
  await visitor.get(`/settings/filters/${id}`);
  expect((await visitor.press("Remove")).location).toBe(`/settings/filters/${id}`);
  expect((await visitor.follow()).text).not.toContain("noise one");
  expect((await alice.get(`/api/v2/filters/${id}/statuses`)).json).toEqual([]);
  const other = (await bob.post("/api/v2/filters", { title: "Mine", context: ["home"] })).json;
  const own = (await bob.post(`/api/v2/filters/${other.id}/statuses`, { status_id: first.id })).json;
  const { action, fields } = visitor.formTo(`/settings/filters/${id}`);
  expect((await visitor.post(`${action}/remove-post`, { csrf: fields.csrf, post: own.id })).status).toBe(404);
  await alice.delete(`/api/v2/filters/${id}`);
});

test("a filter whose words or which itself was deleted meanwhile keeps what was typed", async () => {
  const filter = (
    await alice.post("/api/v2/filters", {
      title: "News",
      context: ["home"],
      keywords_attributes: [{ keyword: "news" }, { keyword: "olds" }],
    })
  ).json;
  const path = `/settings/filters/${filter.id}`;
  await visitor.get(path);
  await alice.delete(`/api/v2/filters/keywords/${filter.keywords[0].id}`);
  expect((await visitor.press("Save")).location).toContain("saved");
  const words = (await alice.get(`/api/v2/filters/${filter.id}/keywords`)).json.map(({ keyword }: Json) => keyword);
  expect(words.toSorted()).toEqual(["news", "olds"]);
  await visitor.get(path);
  await alice.delete(`/api/v2/filters/${filter.id}`);
  const refused = await visitor.press("Save", { title: "Kept" });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("deleted meanwhile")]);
  expect((await visitor.press("Save")).location).toContain("saved");
  const [created] = (await alice.get("/api/v2/filters")).json;
  expect([created.title, created.keywords.length]).toEqual(["Kept", 2]);
  await alice.delete(`/api/v2/filters/${created.id}`);
});

test("the pages for lists create and change one, and show its timeline", async () => {
  await alice.post(`/api/v1/accounts/${bob.id}/follow`);
  await visitor.get("/settings/lists");
  const { status, html } = await visitor.press("Create list", { title: " " });
  expect([status, html]).toEqual([422, expect.stringContaining('id="title-about"')]);
  const { location } = await visitor.press("Create list", { title: "Birds" });
  const path = location!;
  await visitor.follow();
  const id = path.split("/").at(-1)!;
  for (const [member, problem] of [
    ["@carol", "No account has this handle"],
    ["@alan", "You don’t follow this account"],
  ] as const) {
    const refused = await visitor.press("Add to the list", { member });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(problem)]);
    expect(visitor.formTo(`${path}/members`).fields).toMatchObject({ member });
  }
  await visitor.press("Add to the list", { member: "@bob" });
  await visitor.follow();
  await visitor.press("Save", { title: "Songbirds", replies: "none", exclusive: "1" });
  const { json: list } = await alice.get(`/api/v1/lists/${id}`);
  expect(list).toMatchObject({ title: "Songbirds", replies_policy: "none", exclusive: true });
  await bob.publish({ status: "tweet" });
  await server.drain();
  const timeline = await visitor.get(`/lists/${id}`);
  expect(timeline.text).toContain("tweet");
  expect((await visitor.get("/home")).html).toContain(`href="/lists/${id}"`);
  await visitor.get(path);
  await visitor.press("Remove");
  expect((await visitor.follow()).text).toContain("The list is empty.");
  await visitor.press("Delete this list");
  expect((await alice.get("/api/v1/lists")).json).toEqual([]);
  expect((await visitor.get(path)).status).toBe(404);
});

test("the page for hashtags follows and features them, and refuses what is none", async () => {
  const path = "/settings/hashtags";
  await visitor.get(path);
  const refused = await visitor.press("Follow", { follow: "not one" });
  expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('id="follow-about"')]);
  await visitor.press("Follow", { follow: "#Birds" });
  await visitor.follow();
  await visitor.press("Feature", { feature: "trees" });
  const followed = async () => (await alice.get("/api/v1/followed_tags")).json.map(({ name }: Json) => name);
  const featured = async () => (await alice.get("/api/v1/featured_tags")).json.map(({ name }: Json) => name);
  expect([await followed(), await featured()]).toEqual([["birds"], ["trees"]]);
  await visitor.follow();
  await visitor.press("Unfollow");
  await visitor.follow();
  await visitor.press("Remove");
  expect([await followed(), await featured()]).toEqual([[], []]);
});
