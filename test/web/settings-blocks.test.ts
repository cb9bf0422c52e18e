import { beforeEach, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { relationship } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

test("accounts are blocked by their handle, and freed again", async () => {
  const rita = remoteAccount(server, { displayName: "Rita" });
  expect((await visitor.get("/settings/blocks")).text).toContain("You don’t block any account.");
  for (const handle of ["@rita@far.example", "bob"]) {
    await visitor.press("Block", { handle });
    await visitor.follow();
  }
  expect(await relationship(alice, rita)).toMatchObject({ blocking: true });
  expect(await relationship(alice, bob)).toMatchObject({ blocking: true });
  await visitor.press("Unblock");
  expect(await relationship(alice, bob)).toMatchObject({ blocking: false });
  expect((await visitor.follow()).text).toContain("Rita");
});

test("an unknown account, and the own one, is refused beside the field", async () => {
  await visitor.get("/settings/mutes");
  for (const [handle, problem] of [
    ["@nobody", "No account has this handle"],
    ["@alice", "This is your own account"],
  ] as const) {
    const { status, text } = await visitor.press("Mute", { handle, duration: "86400", notifications: undefined });
    expect([status, text]).toEqual([422, expect.stringContaining(problem)]);
    expect(visitor.formTo("/settings/mutes").fields).toMatchObject({ handle, duration: "86400" });
    expect(visitor.formTo("/settings/mutes").fields).not.toHaveProperty("notifications");
  }
});

test("a mute may leave notifications, and may end", async () => {
  await visitor.get("/settings/mutes");
  await visitor.press("Mute", { handle: "bob", duration: "86400", notifications: undefined });
  const [muted] = (await alice.get("/api/v1/mutes")).json;
  expect(Date.parse(muted.mute_expires_at)).toBe(server.clock.now() + 86_400_000);
  expect(await relationship(alice, bob)).toMatchObject({ muting: true, muting_notifications: false });
  expect((await visitor.follow()).text).toMatch(/Notifications still arrive · Until/);
  await visitor.press("Unmute");
  expect(await relationship(alice, bob)).toMatchObject({ muting: false });
});

test("servers are blocked by their domain, and long lists have pages", async () => {
  const path = "/settings/domain-blocks";
  await visitor.get(path);
  const refused = await visitor.press("Block server", { domain: "not a domain" });
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(
    /id="domain-about" role="alert">This is not the name of a server\. Write it like example\.org/,
  );
  await visitor.press("Block server", { domain: "far.example" });
  const domains = async () => (await alice.get("/api/v1/domain_blocks")).json as Json;
  expect(await domains()).toEqual(["far.example"]);
  await visitor.follow();
  await visitor.press("Unblock");
  expect(await domains()).toEqual([]);
  for (let at = 0; at < 21; at++) await alice.post("/api/v1/domain_blocks", { domain: `d${at}.example` });
  const { html, text } = await visitor.get(path);
  expect(text).not.toContain(" d0.example");
  const older = /href="([^"]*)" rel="next"/.exec(html)![1]!;
  expect((await visitor.get(older)).text).toContain(" d0.example");
});
