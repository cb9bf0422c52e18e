import { beforeEach, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const PATH = "/settings/interactions";
const DEFAULTS = "/api/v1/interaction_policies/defaults";
const { server, alice } = serverForEachTest(["alice"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

const shown = async () => (await visitor.get(PATH)).forms[0]!.fields;
const rules = ({ can_reply, can_reblog, can_favourite }: Json) =>
  [can_reply, can_reblog, can_favourite].map(({ always }: Json) => always.join(" "));

test("the page for interactions sets who may reply to, boost and quote new posts", async () => {
  expect(await shown()).toMatchObject({ reply: "public", reblog: "public", quote: "public", private_reply: "public" });
  const chosen = { reply: "following", reblog: "author", quote: "followers", private_reply: "mutuals" };
  const { location } = await visitor.press("Save", chosen);
  expect(location).toBe(`${PATH}?saved`);
  expect(await shown()).toMatchObject(chosen);
  for (const visibility of ["public", "unlisted"]) {
    const post = await alice.publish({ status: "hello", visibility });
    expect(rules(post.interaction_policy)).toEqual(["author following mentioned me", "author me", "public me"]);
    expect(post.quote_approval.automatic).toEqual(["followers"]);
  }
  const secret = await alice.publish({ status: "hello", visibility: "private" });
  expect(rules(secret.interaction_policy)[0]).toBe("author mutuals mentioned me");
});

test("the page for interactions keeps what only apps can set, unless its user chooses something else", async () => {
  const policy = { can_reply: { always: ["followers", "following"] }, can_favourite: { always: ["followers"] } };
  await alice.patch(DEFAULTS, { public: policy, direct: policy });
  const { json: before } = await alice.get(DEFAULTS);
  const fields = await shown();
  expect(fields).toMatchObject({ reply: "", reblog: "public" });
  expect((await visitor.get(PATH)).text).toContain("As an app has set it");
  await visitor.press("Save");
  expect((await alice.get(DEFAULTS)).json).toEqual(before);
  await visitor.get(PATH);
  await visitor.press("Save", { reply: "author", reblog: "everyone", private_reply: "followers" });
  const { json } = await alice.get(DEFAULTS);
  expect(rules(json.public)).toEqual(["author mentioned", "public", "author followers"]);
  expect([json.direct, json.private]).toEqual([before.direct, before.private]);
});
