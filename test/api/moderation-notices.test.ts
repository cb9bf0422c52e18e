import { beforeEach, describe, expect, test } from "bun:test";
import { setDomainBlock, removeDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { moderate, type Action } from "../../src/core/moderation/moderation.ts";
import type { Client, Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { followRemote } from "../support/remote-rows.ts";
import { remoteAccount, remoteFollows, remoteStatus } from "../support/rows.ts";
import { startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Socket } from "../support/streams.ts";

const { server, alice } = serverForEachTest(["alice"]);
let bob: Client;

beforeEach(async () => {
  bob = await server.person("bob", { role: "user" });
});

const notificationsOf = async (who: Client, type: string): Promise<Json[]> =>
  (await who.get(`/api/v1/notifications?types[]=${type}`)).json;

describe("A moderator's decision", () => {
  test("notifies the account, with its text", async () => {
    await act(server, "silence", bob, "Too loud.");
    const [notification, ...others] = await notificationsOf(bob, "moderation_warning");
    expect(others).toEqual([]);
    expectShape(notification, "Notification");
    expectShape(notification.moderation_warning, "AccountWarning");
    expect(notification).toMatchObject({
      account: { id: bob.id },
      moderation_warning: {
        id: "1",
        action: "silence",
        text: "Too loud.",
        status_ids: null,
        appeal: null,
        created_at: "2026-11-21T12:00:00.000Z",
        target_account: { id: bob.id, limited: true },
      },
    });
    expect(await notificationsOf(alice, "moderation_warning")).toEqual([]);
  });

  test("has its own group in grouped notifications", async () => {
    await act(server, "silence", bob, "Too loud.");
    const { json } = await bob.get("/api/v2/notifications");
    expectShape(json, "GroupedNotificationsResults");
    expect(json.notification_groups).toMatchObject([
      { type: "moderation_warning", notifications_count: 1, moderation_warning: { text: "Too loud." } },
    ]);
  });

  test("sends one notification each, including to accounts that can't sign in", async () => {
    for (const action of ["none", "sensitive", "disable", "suspend"] as const) {
      await act(server, action, bob);
      if (action !== "none") undo(server, action, bob);
    }
    await server.drain();
    const actions = (await notificationsOf(bob, "moderation_warning")).map((it) => it.moderation_warning.action);
    expect(actions).toEqual(["suspend", "disable", "sensitive", "none"]);
  });

  test("is streamed at once", async () => {
    const socket = await Socket.open(bob, "?stream=user:notification");
    await act(server, "none", bob, "Be kind.");
    const { event, payload } = await socket.next();
    expect([event, payload.moderation_warning.text]).toEqual(["notification", "Be kind."]);
  });

  test("on a report names its posts and resolves all open reports about the account", async () => {
    const { id } = await bob.publish("spam");
    const carol = await server.person("carol", { role: "user" });
    await carol.post("/api/v1/reports", { account_id: bob.id, status_ids: [id] });
    await carol.post("/api/v1/reports", { account_id: bob.id });
    const decide = (action: Action, reportId: number | null) =>
      moderate(server.ctx, Number(bob.id), action, { by: Number(alice.id), text: "", reportId });
    const open = () =>
      server.ctx.db
        .all<{ id: number }>("SELECT id FROM reports WHERE action_taken_at IS NULL ORDER BY id")
        .map((row) => row.id);
    decide("none", null);
    expect(open()).toEqual([1, 2]);
    decide("none", 1);
    expect(open()).toEqual([2]);
    expect((await notificationsOf(alice, "admin.report"))[0].report.action_taken).toBe(true);
    decide("silence", 1);
    expect(open()).toEqual([]);
    await server.drain();
    const named = (await notificationsOf(bob, "moderation_warning")).map((it) => it.moderation_warning.status_ids);
    expect(named).toEqual([[id], [id], null]);
  });

  test.each([
    ["none", "x".repeat(2001), null, "The text is too long (maximum is 2000 characters)."],
    ["none", "", 7, "There is no report 7."],
    ["none", "", 1, "Report 1 is about another account."],
  ] as const)("is refused as %s with the reason", async (action, text, reportId, reason) => {
    await bob.post("/api/v1/reports", { account_id: alice.id });
    const decide = () => moderate(server.ctx, Number(bob.id), action, { by: null, text, reportId });
    expect(decide).toThrow(reason);
    expect(await notificationsOf(bob, "moderation_warning")).toEqual([]);
  });

  test.each(["none", "disable"] as const)("can't be %s for a remote account", async (action) => {
    const spammer = remoteAccount(server, "spammer", "spam.example");
    await expect(act(server, action, { id: spammer })).rejects.toThrow("@spammer@spam.example is on another server");
  });

  test("requires an existing account", async () => {
    await expect(act(server, "silence", { id: "1" })).rejects.toThrow("Record not found");
  });
});

/** A user's severed relationships according to their notifications: reason, target, followers, followed. */
async function losses(who: Client): Promise<Json[]> {
  const notifications = await notificationsOf(who, "severed_relationships");
  return notifications.map(({ event }) => [
    event.type,
    event.target_name,
    event.followers_count,
    event.following_count,
  ]);
}

const countsOf = async (who: Client): Promise<number[]> => {
  const { json } = await alice.get(`/api/v1/accounts/${who.id}`);
  return [json.followers_count, json.following_count];
};

describe("A notification of severed relationships", () => {
  let [fan, idol]: string[] = [];

  beforeEach(async () => {
    [fan, idol] = [remoteAccount(server, "fan", "spam.example"), remoteAccount(server, "idol", "sub.spam.example")];
    for (const who of [alice, bob]) await followRemote(server, who, { id: idol! });
    remoteFollows(server, fan!, alice);
    remoteFollows(server, fan!, bob, "follow_requests");
    remoteFollows(server, remoteAccount(server, "friend", "notspam.example"), alice);
  });

  test("counts the follows lost when the server blocks a domain", async () => {
    expect([await countsOf(alice), await countsOf(bob)]).toEqual([
      [2, 1],
      [0, 1],
    ]);
    setDomainBlock(server.ctx, "spam.example", {});
    await server.drain();
    const [notification] = await notificationsOf(alice, "severed_relationships");
    expectShape(notification, "Notification");
    expect(notification).toMatchObject({ account: { id: alice.id } });
    expect(notification.event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: "domain_block",
      purged: false,
      target_name: "spam.example",
      followers_count: 1,
      following_count: 1,
      created_at: "2026-11-21T12:00:00.000Z",
    });
    expect(await losses(bob)).toEqual([["domain_block", "spam.example", 0, 1]]);
    expect([await countsOf(alice), await countsOf(bob)]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    const [group] = (await alice.get("/api/v2/notifications?types[]=severed_relationships")).json.notification_groups;
    expect(group.event).toEqual(notification.event);
    expect((await bob.get("/api/v1/follow_requests")).json).toEqual([]);
  });

  test("names a remote account that was suspended, and the follows don't come back", async () => {
    await act(server, "suspend", { id: idol! });
    for (const who of [alice, bob]) {
      expect(await losses(who)).toEqual([["account_suspension", "idol@sub.spam.example", 0, 1]]);
    }
    await act(server, "suspend", { id: fan! });
    expect(await losses(alice)).toEqual([
      ["account_suspension", "fan@spam.example", 1, 0],
      ["account_suspension", "idol@sub.spam.example", 0, 1],
    ]);
    expect((await losses(bob)).length).toBe(1);
    undo(server, "suspend", { id: idol! });
    expect(await countsOf(bob)).toEqual([0, 0]);
  });

  test("is sent to a user who blocks a domain, and to no other user", async () => {
    await alice.post("/api/v1/domain_blocks", { domain: "spam.example" });
    expect(await losses(alice)).toEqual([["user_domain_block", "spam.example", 1, 0]]);
    expect(await losses(bob)).toEqual([]);
    for (const domain of ["spam.example", "unknown.example"]) {
      await alice.post("/api/v1/domain_blocks", { domain });
    }
    expect((await losses(alice)).length).toBe(1);
    await bob.post("/api/v1/domain_blocks", { domain: "spam.example" });
    expect(await losses(bob)).toEqual([]);
  });

  test("is not sent for a local account, which may return", async () => {
    await alice.follow(bob);
    await act(server, "suspend", bob);
    expect(await losses(alice)).toEqual([]);
    undo(server, "suspend", bob);
    const { json } = await alice.get(`/api/v1/accounts/relationships?id[]=${bob.id}`);
    expect(json[0].following).toBe(true);
  });
});

describe("A domain block", () => {
  let spammer: string;
  let deep: string;

  beforeEach(() => {
    [spammer, deep] = [
      remoteAccount(server, "spammer", "spam.example"),
      remoteAccount(server, "deep", "very.deep.spam.example"),
    ];
    for (const id of [spammer, deep, remoteAccount(server, "friend", "notspam.example")]) {
      remoteStatus(server, id, `by ${id}`);
    }
  });

  /** The moderation state of an account. */
  const state = async (id: string): Promise<string> => {
    const { json } = await alice.get(`/api/v1/accounts/${id}`);
    return [json.limited && "limited", json.suspended && "suspended"].filter(Boolean).join() || "free";
  };

  test.each([
    ["suspend", "suspended"],
    ["silence", "limited"],
  ] as const)(
    "to %s makes accounts of the domain and its subdomains %s until it is removed",
    async (severity, expected) => {
      setDomainBlock(server.ctx, "SPAM.example", { severity });
      expect([await state(spammer), await state(deep)]).toEqual([expected, expected]);
      expect((await alice.get("/api/v1/timelines/public")).json.length).toBe(1);
      removeDomainBlock(server.ctx, "spam.example");
      expect([await state(spammer), await state(deep)]).toEqual(["free", "free"]);
      expect((await alice.get("/api/v1/timelines/public")).json.length).toBe(3);
    },
  );

  test("applies to accounts created later", async () => {
    setDomainBlock(server.ctx, "spam.example", { severity: "suspend" });
    setDomainBlock(server.ctx, "quiet.example", { severity: "silence" });
    setDomainBlock(server.ctx, "noop.example", { severity: "noop" });
    const states = ["spam.example", "a.spam.example", "x.quiet.example", "noop.example", "notspam.example"].map(
      async (domain) => state(remoteAccount(server, "late", domain)),
    );
    expect(await Promise.all(states)).toEqual(["suspended", "suspended", "limited", "free", "free"]);
  });

  test("may differ for a subdomain, where the longest match decides", async () => {
    setDomainBlock(server.ctx, "deep.spam.example", { severity: "noop" });
    setDomainBlock(server.ctx, "spam.example", { severity: "suspend" });
    expect([await state(spammer), await state(deep)]).toEqual(["suspended", "free"]);
    expect(await state(remoteAccount(server, "late", "deep.spam.example"))).toBe("free");
    removeDomainBlock(server.ctx, "deep.spam.example");
    expect(await state(deep)).toBe("suspended");
    setDomainBlock(server.ctx, "deep.spam.example", { severity: "silence" });
    expect([await state(spammer), await state(deep)]).toEqual(["suspended", "limited"]);
    removeDomainBlock(server.ctx, "spam.example");
    expect([await state(spammer), await state(deep)]).toEqual(["free", "limited"]);
  });

  test("can become stricter or milder", async () => {
    setDomainBlock(server.ctx, "spam.example", { severity: "silence", publicComment: "Noise." });
    setDomainBlock(server.ctx, "spam.example", { severity: "suspend" });
    expect(await state(spammer)).toBe("suspended");
    setDomainBlock(server.ctx, "spam.example", { severity: "silence" });
    expect(await state(spammer)).toBe("limited");
    setDomainBlock(server.ctx, "spam.example", { severity: "noop" });
    expect(await state(spammer)).toBe("free");
  });

  test("leaves decisions on single accounts unchanged", async () => {
    await act(server, "suspend", { id: spammer });
    server.clock.advance(1000);
    setDomainBlock(server.ctx, "spam.example", { severity: "suspend" });
    removeDomainBlock(server.ctx, "spam.example");
    expect([await state(spammer), await state(deep)]).toEqual(["suspended", "free"]);
  });

  test.each([
    ["localhost:3000", "localhost:3000 is this server itself."],
    ["a b", "Validation failed: Domain is not a valid domain name"],
  ])("of %s is refused", (domain, reason) => {
    expect(() => setDomainBlock(server.ctx, domain, {})).toThrow(reason);
  });

  test("is refused for both names of this server, if its handles have another domain than its URLs", async () => {
    const other = await startServer({ LINNET_URL: "https://social.example", LINNET_HANDLE_DOMAIN: "example.org" });
    for (const domain of ["social.example", "example.org"]) {
      expect(() => setDomainBlock(other.ctx, domain, {})).toThrow(`${domain} is this server itself.`);
    }
    await other.stop();
  });

  test("has comments of limited length, and must exist before it can be removed", () => {
    const long = "x".repeat(1001);
    const block = () => setDomainBlock(server.ctx, "spam.example", { publicComment: long, privateComment: long });
    expect(block).toThrow(
      "Validation failed: Public comment is too long (maximum is 1000 characters), Private comment is too long (maximum is 1000 characters)",
    );
    expect(() => removeDomainBlock(server.ctx, "spam.example")).toThrow("spam.example isn't blocked.");
  });
});
