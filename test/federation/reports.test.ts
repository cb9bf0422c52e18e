import { beforeEach, describe, expect, test } from "bun:test";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { resolveReport } from "../../src/core/moderation/reports.ts";
import type { Client, Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import type { TestServer } from "../support/server.ts";

/** The reports of a server, oldest first. */
function reportsOf({ ctx }: TestServer): Json[] {
  return ctx.db.all(
    `SELECT a.username || '@' || a.domain AS reporter, t.username AS target, r.category, r.comment, r.status_ids, r.forwarded
     FROM reports r JOIN accounts a ON a.id = r.account_id JOIN accounts t ON t.id = r.target_account_id ORDER BY r.id`,
  );
}

describe("A report that is forwarded", () => {
  const { alice, bob, befriend: befriendAll, drain } = neighboursForEachTest(["alice", "bob"]);
  let spammer: Client;

  beforeEach(async () => {
    spammer = await bob.server.person("spammer", { role: "user" });
    await befriendAll(alice, bob);
  });

  test("reaches the moderators of the account's server, with its posts, and names the sending server only", async () => {
    const spam = await spammer.publish(`@${alice.handle} buy this`);
    await drain();
    const copy = (await alice.copyOf(spam))!;
    const report = { account_id: copy.account.id, status_ids: [copy.id], comment: "Spam <b>", forward: true };
    expect((await alice.post("/api/v1/reports", report)).json.forwarded).toBe(true);
    await drain();
    const { handleDomain } = alice.server.ctx.config;
    const reporter = `${handleDomain.replace(/:.*/, "")}@${handleDomain}`;
    expect(reportsOf(bob.server)).toEqual([
      { reporter, target: "spammer", category: "other", comment: "Spam <b>", status_ids: `[${spam.id}]`, forwarded: 0 },
    ]);
    expect(await bob.news()).toContainEqual(["admin.report", reporter]);
    expect(await spammer.get("/api/v1/notifications")).toMatchObject({ json: [] });
    expect(JSON.stringify(bob.server.ctx.db.all("SELECT * FROM reports"))).not.toContain("alice@");
  });

  test("is sent only if the user asks for it", async () => {
    const spam = await spammer.publish(`@${alice.handle} buy this`);
    await drain();
    await alice.post("/api/v1/reports", { account_id: (await alice.copyOf(spam))!.account.id });
    await drain();
    expect([count(alice.server, "reports"), count(bob.server, "reports")]).toEqual([1, 0]);
  });
});

describe("A server with neighbours that report", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();
  let robot: HostileAccount;

  beforeEach(() => {
    robot = peer.account("good.test", "good.test", { type: "Application" });
  });

  const flagged = (object: unknown, more: Json = {}) => robot.activity("Flag", object, { content: "Look", ...more });
  const staffNews = async () => (await alice.news()).filter(([type]) => type === "admin.report");

  test("sends a report to the servers of accounts that were replied to only if it is asked to", async () => {
    const { server } = alice;
    const [bob, carol] = [peer.account("bob", "good.test"), peer.account("carol", "other.test")];
    await befriend(alice, bob);
    await befriend(alice, carol);
    const root = carol.note();
    await carol.deliver(server, carol.create(root));
    const reply = bob.note({
      inReplyTo: root.id,
      to: [alice.uri, carol.uri],
      tag: [{ type: "Mention", href: alice.uri }],
    });
    await bob.deliver(server, bob.create(reply));
    const copy = (await alice.copyOf({ uri: reply.id }))!;
    const to = (urls: string[]) => urls.map((url) => new URL(url).hostname).sort();
    for (const [forward_to_domains, hosts] of [
      [undefined, ["good.test"]],
      [
        [bob.domain, carol.domain],
        ["good.test", "other.test"],
      ],
      [[carol.domain.toUpperCase(), "else.test"], ["other.test"]],
      [[], []],
    ] as const) {
      peer.asked.length = 0;
      const report = { account_id: copy.account.id, status_ids: [copy.id], forward: true, forward_to_domains };
      expect((await alice.post("/api/v1/reports", report)).status).toBe(200);
      await server.drain();
      expect(to(peer.asked.map(({ url }) => url))).toEqual([...hosts]);
      for (const { headers, body } of peer.asked) {
        const origin = server.ctx.config.origin;
        expect(headers.get("signature")).toContain(`keyId="${origin}/actor#main-key"`);
        expect(JSON.parse(body)).toMatchObject({
          type: "Flag",
          actor: `${origin}/actor`,
          to: [bob.uri],
          object: [bob.uri, reply.id],
          content: "",
        });
        expect(body).not.toContain("users/alice");
      }
    }
  });

  test("passes a report to its moderators once, however often it arrives", async () => {
    const { server } = alice;
    const post = await alice.publish("hello");
    const report = flagged([post.uri, alice.uri]);
    await robot.deliver(server, report);
    await robot.deliver(server, report);
    expect(reportsOf(server)).toMatchObject([{ target: "alice", comment: "Look", status_ids: `[${post.id}]` }]);
    expect(await staffNews()).toEqual([["admin.report", robot.handle]]);
    resolveReport(server.ctx, 1, null);
    await robot.deliver(server, report);
    expect(count(server, "reports")).toBe(1);
  });

  test("reads a single account, a status without its author, and a summary, and truncates long comments", async () => {
    const { server } = alice;
    const post = await alice.publish("hello");
    await robot.deliver(server, flagged(alice.uri, { content: "x".repeat(4000) }));
    await robot.deliver(server, flagged(post.uri, { content: undefined, summary: "from Lemmy" }));
    expect(reportsOf(server)).toMatchObject([
      { comment: "x".repeat(1000), status_ids: "[]" },
      { comment: "from Lemmy", status_ids: `[${post.id}]`, target: "alice" },
    ]);
  });

  test("keeps only the posts of the reported account", async () => {
    const { server } = alice;
    const dora = await server.person("dora", { role: "user" });
    const [own, other] = [await alice.publish("mine"), await dora.publish("hers")];
    await robot.deliver(server, flagged([alice.uri, own.uri, other.uri, `${robot.uri}/notes/1`]));
    expect(reportsOf(server)).toMatchObject([{ target: "alice", status_ids: `[${own.id}]` }]);
  });

  test("ignores reports of remote and unknown accounts, and of a thousand posts", async () => {
    const { server } = alice;
    const bob = peer.account("bob", "good.test");
    await befriend(alice, bob);
    const many = Array.from({ length: 1000 }, (_, at) => `${alice.uri}/statuses/${at}`);
    for (const object of [bob.uri, `${alice.uri}x`, [alice.uri, ...many], [], null, 7]) {
      await robot.deliver(server, flagged(object));
    }
    expect(count(server, "reports")).toBe(0);
  });

  test("ignores reports from blocked domains, and from those whose reports it rejects", async () => {
    const { server } = alice;
    setDomainBlock(server.ctx, "good.test", { severity: "noop", rejectReports: true });
    await robot.deliver(server, flagged(alice.uri));
    expect(count(server, "reports")).toBe(0);
    setDomainBlock(server.ctx, "good.test", { severity: "noop", rejectReports: false });
    await robot.deliver(server, flagged(alice.uri));
    expect(count(server, "reports")).toBe(1);
    setDomainBlock(server.ctx, "good.test", { severity: "suspend" });
    expect(await robot.send(server, flagged(alice.uri))).toBe(403);
  });

  test("accepts twenty reports an hour from one site", async () => {
    const { server } = alice;
    const other = peer.account("else.test", "else.test", { type: "Application" });
    for (let at = 0; at < 25; at += 1) expect(await robot.send(server, flagged(alice.uri))).toBe(202);
    await other.deliver(server, other.activity("Flag", alice.uri));
    expect(count(server, "reports")).toBe(21);
    server.clock.advance(3601_000);
    await robot.deliver(server, flagged(alice.uri));
    expect(count(server, "reports")).toBe(22);
  });

  test("ignores a report that another account than its sender signs", async () => {
    const { server } = alice;
    const eve = peer.account("eve", "evil.test");
    expect(await robot.send(server, flagged(alice.uri), { key: eve.key })).toBe(401);
    expect(count(server, "reports")).toBe(0);
  });
});
