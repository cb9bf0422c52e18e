import { beforeEach, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);
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
