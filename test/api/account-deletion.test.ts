import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { deleteAccount, removeSlice } from "../../src/core/people/account-deletion.ts";
import { createAnnouncement } from "../../src/core/server/announcements.ts";
import { createUser } from "../../src/core/people/users.ts";
import type { Client, Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { Device } from "../support/push-service.ts";
import { homeOf, idsOf, NOT_FOUND, refusal, notificationSendersOf } from "../support/reading.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";
import { pictureFile, uploaded } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

const { server, alice } = serverForEachTest(["alice"], { LINNET_REGISTRATIONS: "open" });
let bob: Client;
let carol: Client;

beforeEach(async () => {
  bob = await server.person("bob", { role: "user" });
  carol = await server.person("carol", { role: "user" });
});

/** Deletes an account as the command does; background jobs do the rest. */
const startDeletion = () => deleteAccount(server.ctx, Number(bob.id));

/** The same, including its jobs. */
async function deleteBob(): Promise<void> {
  startDeletion();
  await server.drain();
}

const find = async (who: Client, path: string): Promise<Json> => (await who.get(path)).json;
const countsOf = async (who: Client) => {
  const { followers_count, following_count, statuses_count } = await find(alice, `/api/v1/accounts/${who.id}`);
  return [followers_count, following_count, statuses_count];
};

async function upload(client: Client): Promise<{ id: string; file: string }> {
  const { id, url } = await uploaded(client);
  return { id, file: join(server.ctx.config.data, new URL(url).pathname) };
}

describe("As soon as an account is deleted,", () => {
  test("it and its posts disappear", async () => {
    const form = new FormData();
    form.append("avatar", await pictureFile());
    await bob.patch("/api/v1/accounts/update_credentials", form);
    await bob.patch("/api/v1/accounts/update_credentials", { display_name: "Bob", note: "Hi", discoverable: true });
    await alice.follow(bob);
    await bob.follow(alice);
    const { id } = await bob.publish("hello #tea");
    const before = await find(alice, `/api/v1/accounts/${bob.id}`);
    startDeletion();
    expect(refusal(await alice.get(`/api/v1/statuses/${id}`))).toEqual(NOT_FOUND);
    for (const path of ["timelines/home", "timelines/public", "timelines/tag/tea", `accounts/${bob.id}/statuses`]) {
      expect([path, await find(alice, `/api/v1/${path}`)]).toEqual([path, []]);
    }
    for (const path of [`accounts/${alice.id}/followers`, `accounts/${alice.id}/following`, "directory"]) {
      expect([path, await find(alice, `/api/v1/${path}`)]).toEqual([path, []]);
    }
    const found = await find(alice, "/api/v2/search?q=bob&resolve=true");
    expect([found.accounts, found.statuses]).toEqual([[], []]);
    const after = await find(alice, `/api/v1/accounts/${bob.id}`);
    expect(after).toMatchObject({ username: "bob", suspended: true, display_name: "", note: "" });
    expect([before.avatar === after.avatar, after.avatar]).toEqual([false, expect.stringContaining("missing")]);
    const visitor = new Visitor(server);
    expect((await visitor.get("/@bob")).status).toBe(410);
  });

  // The command runs in another process, and the server notices the deletion within seconds.
  inProcess("its streams end", async () => {
    const socket = await Socket.open(bob, "?stream=user");
    startDeletion();
    expect((await socket.closed).reason).toBe("The access token was revoked");
  });

  test("its tokens and its password are invalid", async () => {
    startDeletion();
    expect((await bob.get("/api/v1/accounts/verify_credentials")).status).toBe(401);
    const visitor = new Visitor(server);
    await visitor.get("/settings/apps");
    const { text } = await visitor.press("Sign in", { login: "bob", password: "correct horse" });
    expect(text).toContain("Wrong username or password");
  });
});

describe("A deleted account", () => {
  test("keeps its username reserved, but not its e-mail address", async () => {
    const { ctx } = server;
    await createUser(ctx, { username: "dora", password: "correct horse", role: "user", email: "d@mail.example" });
    const dora = ctx.db.get<{ id: number }>("SELECT id FROM accounts WHERE username = 'dora'")!;
    deleteAccount(ctx, dora.id);
    await server.drain();
    const again = { username: "DORA", password: "correct horse", role: "user" } as const;
    expect(createUser(ctx, again)).rejects.toThrow("Username has already been taken");
    const registration = { email: "d@mail.example", password: "correct horse", agreement: true, locale: "en" };
    const app = server.otherApp(alice, "read write");
    const register = async (username: string) => {
      const appToken = server.token(null, "read write");
      const answer = await fetch(`${app.origin}/api/v1/accounts`, {
        method: "POST",
        headers: { authorization: `Bearer ${appToken}`, "content-type": "application/json" },
        body: JSON.stringify({ username, ...registration }),
      });
      return answer.status;
    };
    expect([await register("dora"), await register("eve")]).toEqual([422, 200]);
  });

  test("can be neither restored by moderators nor deleted again", async () => {
    await deleteBob();
    expect(() => undo(server, "suspend", bob)).toThrow("@bob was permanently deleted.");
    expect(act(server, "silence", bob)).rejects.toThrow("@bob was permanently deleted.");
    expect(startDeletion).toThrow("Record not found");
  });

  test("cannot be the only owner of the server", async () => {
    expect(() => deleteAccount(server.ctx, Number(alice.id))).toThrow("@alice is the only owner of this server");
    expect((await alice.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
    await server.person("second", { role: "owner" });
    deleteAccount(server.ctx, Number(alice.id));
    expect((await alice.get("/api/v1/accounts/verify_credentials")).status).toBe(401);
  });

  test("no longer counts as follower, and its favourites, boosts, replies and quotes are no longer counted", async () => {
    await alice.follow(bob);
    await bob.follow(alice);
    await carol.follow(alice);
    expect(await countsOf(alice)).toEqual([2, 1, 0]);
    const { id } = await alice.publish("post");
    for (const verb of ["favourite", "reblog", "bookmark"]) {
      for (const who of [bob, carol]) await who.post(`/api/v1/statuses/${id}/${verb}`);
    }
    await bob.publish({ status: "@alice yes", in_reply_to_id: id });
    await bob.publish({ status: "look", quoted_status_id: id });
    const counts = async () => {
      const { favourites_count, reblogs_count, replies_count, quotes_count } = await find(
        alice,
        `/api/v1/statuses/${id}`,
      );
      return { favourites_count, reblogs_count, replies_count, quotes_count };
    };
    expect(await counts()).toEqual({ favourites_count: 2, reblogs_count: 2, replies_count: 1, quotes_count: 1 });
    await deleteBob();
    expect(await counts()).toEqual({ favourites_count: 1, reblogs_count: 1, replies_count: 0, quotes_count: 0 });
    expect(await countsOf(alice)).toEqual([1, 0, 1]);
    expect(await countsOf(bob)).toEqual([0, 0, 0]);
    const path = `/api/v1/accounts/relationships?with_suspended=true&id[]=${bob.id}`;
    expect(await find(alice, path)).toMatchObject([{ following: false, followed_by: false }]);
  });

  test("is removed from the results of polls", async () => {
    const poll = { options: ["tea", "cocoa"], expires_in: 3600, multiple: true };
    const status = await alice.publish({ status: "which?", poll });
    await bob.post(`/api/v1/polls/${status.poll.id}/votes`, { choices: [0, 1] });
    await carol.post(`/api/v1/polls/${status.poll.id}/votes`, { choices: [1] });
    await deleteBob();
    const { votes_count, voters_count, options } = await find(alice, `/api/v1/polls/${status.poll.id}`);
    expect([votes_count, voters_count, options.map((option: Json) => option.votes_count)]).toEqual([1, 1, [0, 1]]);
  });

  test("loses its files: of posts, of unpublished and scheduled uploads, and of its profile", async () => {
    const form = new FormData();
    form.append("avatar", await pictureFile());
    form.append("header", await pictureFile("png", { shade: 20 }));
    const profile = (await bob.patch("/api/v1/accounts/update_credentials", form)).json;
    const [posted, scheduled, waiting] = [await upload(bob), await upload(bob), await upload(bob)];
    const others = await upload(alice);
    await bob.publish({ status: "picture", media_ids: [posted.id] });
    const later = new Date(server.clock.now() + 3600_000).toISOString();
    await bob.post("/api/v1/statuses", { status: "later", media_ids: [scheduled.id], scheduled_at: later });
    const files = [
      ...[posted, scheduled, waiting].map(({ file }) => file),
      ...[profile.avatar, profile.header].map((url) => join(server.ctx.config.data, new URL(url).pathname)),
    ];
    expect(files.map(existsSync)).toEqual(files.map(() => true));
    await deleteBob();
    expect(files.map(existsSync)).toEqual(files.map(() => false));
    expect(existsSync(others.file)).toBe(true);
  });

  test("disappears from lists, notifications, conversations, push subscriptions and threads", async () => {
    await alice.follow(bob);
    const list = (await alice.post("/api/v1/lists", { title: "Friends" })).json;
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [bob.id] });
    const subscription = new Device("https://push.example").subscription();
    await bob.post("/api/v1/push/subscription", { subscription, data: { alerts: { mention: true }, policy: "all" } });
    const { id } = await alice.publish("root");
    await carol.post(`/api/v1/statuses/${id}/favourite`);
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    const answer = await bob.publish({ status: "@alice answer", in_reply_to_id: id });
    const deeper = await carol.publish({ status: "@bob @alice deeper", in_reply_to_id: answer.id });
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    await bob.post(`/api/v1/statuses/${(await carol.publish("boosted")).id}/reblog`);
    expect(await notificationSendersOf(alice)).toContain("mention by bob");
    await deleteBob();
    expect(await notificationSendersOf(alice)).toEqual(["mention by carol", "favourite by carol"]);
    expect(await notificationSendersOf(carol)).toEqual([]);
    expect(await find(alice, "/api/v1/conversations")).toEqual([]);
    expect(await find(alice, `/api/v1/lists/${list.id}/accounts`)).toEqual([]);
    expect(await find(alice, `/api/v1/timelines/list/${list.id}`)).toEqual([]);
    expect(await homeOf(alice)).toEqual(["root"]);
    expect(await find(alice, `/api/v1/statuses/${deeper.id}`)).toMatchObject({ in_reply_to_id: null });
    expect(server.ctx.db.all("SELECT 1 FROM push_subscriptions")).toEqual([]);
    const [{ count }] = server.ctx.db.all<{ count: number }>(
      "SELECT count(*) AS count FROM status_search WHERE status_search MATCH 'answer OR psst'",
    ) as [{ count: number }];
    expect(count).toBe(0);
  });

  test("leaves quotes of its posts as quotes of a deleted post", async () => {
    const quoted = await bob.publish("quotable");
    const { id } = await alice.publish({ status: "look", quoted_status_id: quoted.id });
    await deleteBob();
    const { quote } = await find(alice, `/api/v1/statuses/${id}`);
    expect(quote).toMatchObject({ state: "deleted", quoted_status: null });
  });

  test("causes a delete event for each of its posts, and for each boost of them", async () => {
    await alice.follow(bob);
    const { id } = await bob.publish("post");
    const boost = (await carol.post(`/api/v1/statuses/${id}/reblog`)).json;
    const stream = await Socket.open(alice, "?stream=user");
    const all = await Socket.open(carol, "?stream=public");
    const own = await Socket.open(carol, "?stream=user");
    await deleteBob();
    for (const [socket, gone] of [
      [stream, id],
      [all, id],
      [own, boost.id],
    ] as const) {
      expect(await socket.next()).toMatchObject({ event: "delete", payload: gone });
      await socket.close();
    }
    expect((await countsOf(carol))[2]).toBe(0);
  });

  inProcess("leaves no rows except its username, its key, mentions of it and reports", async () => {
    const { ctx } = server;
    const { db } = ctx;
    await alice.follow(bob);
    await bob.follow(alice);
    await carol.patch("/api/v1/accounts/update_credentials", { locked: true });
    await bob.follow(carol);
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await server.person("dora").then((dora) => dora.follow(bob));
    for (const verb of ["block", "mute", "note"]) {
      await bob.post(`/api/v1/accounts/${carol.id}/${verb}`, { comment: "!" });
      await carol.post(`/api/v1/accounts/${bob.id}/${verb}`, { comment: "!" });
    }
    for (const [who, target] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      await who.post(`/api/v1/accounts/${target.id}/pin`);
    }
    await bob.post("/api/v1/domain_blocks", { domain: "spam.example" });
    for (const action of ["follow", "feature"]) await bob.post(`/api/v1/tags/tea/${action}`);
    await bob.post("/api/v2/filters", { title: "Tea", context: ["home"], keywords_attributes: [{ keyword: "tea" }] });
    const list = (await bob.post("/api/v1/lists", { title: "Friends" })).json;
    await bob.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [alice.id] });
    await bob.post("/api/v1/markers", { home: { last_read_id: "1" } });
    await bob.delete(`/api/v1/suggestions/${carol.id}`);
    const { id } = await alice.publish("@bob #tea?");
    await bob.post(`/api/v1/statuses/${id}/mute`);
    await bob.publish({ status: "@alice #tea", in_reply_to_id: id });
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    const text = "Cake";
    const draft = { text, startsAt: null, endsAt: null, allDay: false, publishAt: null };
    const announcement = `/api/v1/announcements/${createAnnouncement(ctx, draft)}`;
    await bob.put(`${announcement}/reactions/${encodeURIComponent("👍")}`);
    await bob.post(`${announcement}/dismiss`);
    await alice.post("/api/v1/reports", { account_id: bob.id });
    await bob.post("/api/v1/reports", { account_id: alice.id });
    await server.drain();
    const references = db.all<{ name: string; field: string }>(`
      SELECT m.name, f."from" AS field FROM main.sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
      WHERE m.type = 'table' AND f."table" = 'accounts'`);
    const present = () =>
      references
        .filter(
          ({ name, field }) =>
            db.get(`SELECT 1 FROM ${name} WHERE ${field} = $bobId`, { bobId: Number(bob.id) }) !== null,
        )
        .map(({ name, field }) => `${name}.${field}`);
    expect(references.length).toBeGreaterThan(40);
    expect(present().length).toBeGreaterThan(30);
    await deleteBob();
    expect(present().toSorted()).toEqual([
      "account_keys.account_id",
      "mentions.account_id",
      "reports.account_id",
      "reports.target_account_id",
    ]);
    expect((await find(alice, "/api/v1/announcements"))[0].reactions).toEqual([]);
    expect(db.all("PRAGMA foreign_key_check")).toEqual([]);
    expect(db.all("SELECT 1 FROM jobs WHERE kind = 'account.remove'")).toEqual([]);
  });

  inProcess("is removed in batches, each of which continues where the last one ended", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 60; count++) ids.push((await bob.publish(`post ${count}`)).id);
    const left = () =>
      server.ctx.db.all("SELECT 1 FROM statuses WHERE account_id = $bobId", { bobId: Number(bob.id) }).length;
    startDeletion();
    const steps: number[] = [];
    while (left() > 0) {
      // As if a crash had interrupted the jobs and they had been started twice: each step finds a job in the queue.
      removeSlice(server.ctx, Number(bob.id));
      steps.push(left());
    }
    expect(steps).toEqual([35, 10, 0]);
    await server.drain();
    expect(await countsOf(bob)).toEqual([0, 0, 0]);
  });

  inProcess("is removed in batches even if one post has many boosts", async () => {
    const { id } = await bob.publish("popular");
    const { db } = server.ctx;
    db.transaction((tx) => {
      for (let at = 1; at <= 60; at++) {
        tx.run(
          "INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at) VALUES ($at, 'fan', $domain, $domain, $domain, 0, 0)",
          { at, domain: `${at}.example` },
        );
        tx.run(
          `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, reblog_of_id, created_at)
           VALUES ($at, $at, $uri, $uri, 0, 'public', $at, $id, 0)`,
          { at, uri: `boost ${at}`, id: Number(id) },
        );
      }
    });
    const left = () => db.all("SELECT 1 FROM statuses").length;
    startDeletion();
    const steps = Array.from({ length: 4 }, () => {
      removeSlice(server.ctx, Number(bob.id));
      return left();
    });
    expect(steps).toEqual([36, 11, 0, 0]);
  });

  inProcess("is removed in batches that include the boosts of its posts", async () => {
    const boosters = await Promise.all(
      Array.from({ length: 12 }, (_, at) => server.person(`booster${at}`, { role: "user" })),
    );
    for (let count = 0; count < 3; count++) {
      const { id } = await bob.publish(`post ${count}`);
      for (const booster of boosters) await booster.post(`/api/v1/statuses/${id}/reblog`);
    }
    const left = () => server.ctx.db.all("SELECT 1 FROM statuses").length;
    expect(left()).toBe(39);
    startDeletion();
    removeSlice(server.ctx, Number(bob.id));
    expect(left()).toBe(14);
    await server.drain();
    expect(left()).toBe(0);
  });

  inProcess("publishes nothing that was being sent during its deletion", async () => {
    const { db } = server.ctx;
    const together = db.groupCommit.bind(db);
    db.groupCommit = (work) => {
      startDeletion();
      return together(work);
    };
    const answer = await bob.post("/api/v1/statuses", { status: "last words" });
    expect(refusal(answer)).toEqual({ status: 401, json: { error: "The access token is invalid" } });
    await server.drain();
    expect(db.all("SELECT 1 FROM statuses")).toEqual([]);
  });

  inProcess("is the only kind of account that the removal job changes", async () => {
    await bob.publish("post");
    removeSlice(server.ctx, Number(bob.id));
    expect(idsOf(await alice.get(`/api/v1/accounts/${bob.id}/statuses`))).toHaveLength(1);
  });
});
