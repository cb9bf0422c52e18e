import { beforeEach, describe, expect, test } from "bun:test";
import { moderate } from "../../src/core/moderation/moderation.ts";
import { reopenReport, resolveReport } from "../../src/core/moderation/reports.ts";
import { addRule, removeRule } from "../../src/core/server/rules.ts";
import { Client, type Answer, type Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { block, remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, olga } = serverForEachTest(["olga"]);
let alice: Client;
let bob: Client;

beforeEach(async () => {
  [alice, bob] = [await server.person("alice", { role: "user" }), await server.person("bob", { role: "user" })];
});

const PATH = "/api/v1/reports";

/** Lets Alice report Bob by default. */
function report(body: Json = {}, by = alice): Promise<Answer> {
  return by.post(PATH, { account_id: bob.id, ...body });
}

/** The types and report ids of a user's notifications. */
async function notificationsOf(who: Client): Promise<Json[]> {
  const { json } = await who.get("/api/v1/notifications");
  return json.map((it: Json) => [it.type, it.report?.id]);
}

describe("A report", () => {
  test("is returned completely to its author", async () => {
    const { id } = await bob.publish("spam");
    const { status, json } = await report({ status_ids: [id], comment: "Look.", category: "spam", forward: true });
    expect(status).toBe(200);
    expectShape(json, "Report");
    expect(json).toEqual({
      id: "1",
      action_taken: false,
      action_taken_at: null,
      category: "spam",
      comment: "Look.",
      forwarded: false,
      created_at: "2026-11-21T12:00:00.000Z",
      status_ids: [id],
      rule_ids: null,
      collection_ids: [],
      target_account: expect.objectContaining({ id: bob.id, acct: "bob" }),
    });
  });

  test("requires only an account, and can be a form, even with a trailing slash in the path", async () => {
    const form = new URLSearchParams({ account_id: bob.id, "collection_ids[]": "1" });
    const { status, json } = await alice.post(`${PATH}/`, form);
    expect([status, json]).toMatchObject([200, { category: "other", comment: "", status_ids: [], rule_ids: null }]);
  });

  test("of a remote account says whether it is to be forwarded", async () => {
    const spammer = remoteAccount(server, "spammer", "spam.example");
    const spam = remoteStatus(server, spammer, "spam");
    for (const forward of [true, false]) {
      const { json } = await report({ account_id: spammer, status_ids: [spam], forward });
      expect([json.forwarded, json.target_account.acct]).toEqual([forward, "spammer@spam.example"]);
    }
  });

  test("can be repeated, and be about the user's own account", async () => {
    expect([(await report()).json.id, (await report()).json.id]).toEqual(["1", "2"]);
    expect((await report({ account_id: alice.id })).json.target_account.id).toBe(alice.id);
  });

  test("may have a thousand characters, whatever their encoding", async () => {
    expect((await report({ comment: "😀".repeat(1000) })).status).toBe(200);
    const { status, json } = await report({ comment: "x".repeat(1001) });
    const error = "Validation failed: Comment is too long (maximum is 1000 characters)";
    expect([status, json]).toEqual([422, { error }]);
  });

  test("requires a user token with the scope", async () => {
    const others: [string | null, number, string][] = [
      [null, 401, "The access token is invalid"],
      ["unknown", 401, "The access token is invalid"],
      [server.token(null, "write"), 422, "This method requires an authenticated user"],
      [server.token(1, "read write:statuses"), 403, "This action is outside the authorized scopes"],
    ];
    for (const [token, status, error] of others) {
      const answer = await report({}, new Client(server.origin, token));
      expect([answer.status, answer.json]).toEqual([status, { error }]);
    }
    expect((await report({}, new Client(server.origin, server.token(2, "write:reports")))).status).toBe(200);
  });
});

describe("The content of a report", () => {
  const NOT_FOUND = { error: "Record not found" };

  test("must contain a visible account", async () => {
    for (const account_id of ["1", "nobody", "", null, undefined]) {
      const { status, json } = await report({ account_id });
      expect([account_id, status, json]).toEqual([account_id, 404, NOT_FOUND]);
    }
    moderate(server.ctx, Number(bob.id), "suspend", { by: null, text: "", reportId: null });
    expect((await report()).status).toBe(404);
  });

  test("must contain only posts of that account that are visible to the author", async () => {
    const own = await bob.publish("spam");
    const hidden = await bob.publish({ status: "for followers", visibility: "private" });
    const direct = await bob.publish({ status: "@alice buy", visibility: "direct" });
    const olgas = await olga.publish("another's");
    for (const wrong of [hidden.id, olgas.id, "1", "no id"]) {
      const { status, json } = await report({ status_ids: [own.id, wrong] });
      expect([wrong, status, json]).toEqual([wrong, 404, NOT_FOUND]);
    }
    const { json } = await report({ status_ids: [direct.id, own.id, own.id] });
    expect(json.status_ids).toEqual([direct.id, own.id]);
    block(server, bob, alice);
    expect((await report({ status_ids: [own.id] })).status).toBe(404);
  });

  test("may contain rules, which sets the category violation", async () => {
    const [first, second] = ["Be kind.", "No adverts."].map((text) => String(addRule(server.ctx, { text, hint: "" })));
    for (const category of ["violation", "spam", undefined]) {
      const { json } = await report({ category, rule_ids: [second, first] });
      expect([json.category, json.rule_ids]).toEqual(["violation", [second, first]]);
    }
    removeRule(server.ctx, Number(first));
    expect((await report({ rule_ids: [first] })).status).toBe(200);
  });

  test.each([
    [{ rule_ids: ["1", "2"] }, "Validation failed: Rule ids does not reference valid rules"],
    [{ rule_ids: ["kindness"] }, "Validation failed: Rule ids does not reference valid rules"],
    [{ category: "violation" }, "Validation failed: Rule ids does not reference valid rules"],
    [{ category: "violation", rule_ids: [] }, "Validation failed: Rule ids does not reference valid rules"],
    [{ category: "boredom" }, "'boredom' is not a valid category"],
  ])("is refused if it is %j", async (body, error) => {
    addRule(server.ctx, { text: "Be kind.", hint: "" });
    const { status, json } = await report(body);
    expect([status, json]).toEqual([422, { error }]);
  });
});

describe("Moderators", () => {
  test("are notified of a report, and no other users are", async () => {
    const staff = [
      await server.person("adam", { role: "admin" }),
      await server.person("mona", { role: "moderator" }),
      olga,
    ];
    const { json } = await report({ comment: "Look." });
    for (const who of staff) {
      const [notification] = (await who.get("/api/v1/notifications")).json;
      expectShape(notification, "Notification");
      expect(notification).toMatchObject({ type: "admin.report", account: { id: alice.id }, report: json });
      expect(notification).not.toHaveProperty("status");
    }
    for (const who of [alice, bob]) expect(await notificationsOf(who)).toEqual([]);
  });

  test("see it in its own group in grouped notifications", async () => {
    const { json: report_ } = await report();
    const { json } = await olga.get("/api/v2/notifications");
    expectShape(json, "GroupedNotificationsResults");
    expect(json.notification_groups).toMatchObject([{ type: "admin.report", report: report_ }]);
    expect(json.accounts.map((account: Json) => account.id)).toEqual([alice.id]);
  });

  inProcess("read many reports with as many statements as one", async () => {
    for (let at = 0; at < 10; at++) {
      const { id } = await server.person(`person${at}`, { role: "user" });
      await report({ account_id: id });
      moderate(server.ctx, Number(olga.id), "none", { by: null, text: `${at}`, reportId: null });
      await server.drain();
    }
    const { db } = server.ctx;
    const statements = async (limit: number) => {
      const before = db.statements;
      clearEntityCache(server);
      const { json } = await olga.get(`/api/v1/notifications?limit=${limit}`);
      expect(json.length).toBe(limit);
      return db.statements - before;
    };
    await statements(2);
    expect(await statements(20)).toBe(await statements(2));
  });

  test("aren't notified of their own reports", async () => {
    await report({}, olga);
    expect(await notificationsOf(olga)).toEqual([]);
  });

  test("aren't notified again while a report about the same account is open", async () => {
    await report();
    await report({}, await server.person("carol", { role: "user" }));
    expect(await notificationsOf(olga)).toEqual([["admin.report", "1"]]);
    for (const id of [1, 2]) resolveReport(server.ctx, id, Number(olga.id));
    await report();
    expect(await notificationsOf(olga)).toEqual([
      ["admin.report", "3"],
      ["admin.report", "1"],
    ]);
    await report({ account_id: (await server.person("dave", { role: "user" })).id });
    expect((await notificationsOf(olga)).length).toBe(3);
  });

  test("see whether the report was resolved", async () => {
    await report();
    const state = async () => {
      const { report } = (await olga.get("/api/v1/notifications")).json[0];
      return [report.action_taken, report.action_taken_at];
    };
    server.clock.advance(60_000);
    resolveReport(server.ctx, 1, Number(olga.id));
    expect(await state()).toEqual([true, "2026-11-21T12:01:00.000Z"]);
    expect(() => resolveReport(server.ctx, 1, null)).toThrow("Report 1 is already resolved.");
    reopenReport(server.ctx, 1);
    expect(await state()).toEqual([false, null]);
    expect(() => reopenReport(server.ctx, 1)).toThrow("Report 1 is already open.");
    expect(() => resolveReport(server.ctx, 2, null)).toThrow("There is no report 2.");
  });

  test("lose the notification when the reported account is deleted", async () => {
    await report();
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM accounts WHERE id = $bobId", { bobId: Number(bob.id) }));
    expect(await notificationsOf(olga)).toEqual([]);
  });
});
