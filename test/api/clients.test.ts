import { beforeAll, describe, expect, test } from "bun:test";
import { createRestAPIClient, type mastodon } from "masto";
import { serverForAllTests } from "../support/setup.ts";
import { pictureFile } from "../support/uploads.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);

describe("An app built on masto.js", () => {
  let app: mastodon.rest.Client;

  beforeAll(() => {
    app = createRestAPIClient({ url: server.origin, accessToken: alice.token! });
  });

  test("reads its account, the instance and the preferences", async () => {
    expect((await app.v1.accounts.verifyCredentials()).acct).toBe("alice");
    const instance = await app.v2.instance.fetch();
    expect(instance.configuration.statuses.maxCharacters).toBe(5000);
    expect((await app.v1.preferences.fetch())["posting:default:visibility"]).toBe("public");
  });

  test("posts a picture and edits its description", async () => {
    const media = await app.v2.media.create({ file: await pictureFile(), description: "a slope", focus: "0.5,0" });
    const status = await app.v1.statuses.create({ status: "hello", mediaIds: [media.id], visibility: "unlisted" });
    expect(status.mediaAttachments[0]!.description).toBe("a slope");
    const edited = await app.v1.statuses.$select(status.id).update({
      status: "hello, world",
      mediaIds: [media.id],
      mediaAttributes: [{ id: media.id, description: "a steep slope" }],
    });
    expect([edited.content, edited.mediaAttachments[0]!.description]).toEqual(["<p>hello, world</p>", "a steep slope"]);
    const removed = await app.v1.statuses.$select(status.id).remove();
    expect(removed.text).toBe("hello, world");
  });

  test("updates a profile with pictures and fields", async () => {
    const account = await app.v1.accounts.updateCredentials({
      displayName: "Alice",
      avatar: await pictureFile(),
      fieldsAttributes: [
        { name: "Town", value: "Bern" },
        { name: "Web", value: "https://example.org" },
      ],
      source: { language: "de" },
    });
    expect([account.displayName, account.source.language]).toEqual(["Alice", "de"]);
    expect(account.source.fields!.map(({ name, value }) => [name, value])).toEqual([
      ["Town", "Bern"],
      ["Web", "https://example.org"],
    ]);
    expect(account.avatar).not.toContain("missing");
  });

  test("pages through a list to its end", async () => {
    for (let at = 0; at < 5; at++) await bob.publish(`#paging ${at}`);
    const pages: string[][] = [];
    for await (const page of app.v1.timelines.tag.$select("paging").list({ limit: 2 })) {
      pages.push(page.map((status) => status.content.replaceAll(/<[^>]*>|\D/g, "")));
    }
    expect(pages).toEqual([["4", "3"], ["2", "1"], ["0"]]);
  });

  test("sends lists of parameters", async () => {
    const relationships = await app.v1.accounts.relationships.fetch({ id: [bob.id, alice.id] });
    expect(relationships.map(({ id }) => id)).toEqual([bob.id, alice.id]);
    await bob.publish("@alice hello");
    const notifications = await app.v1.notifications.list({ types: ["mention"], excludeTypes: ["poll"] });
    expect(notifications.map(({ type }) => type)).toEqual(["mention"]);
    await app.v1.markers.create({ notifications: { lastReadId: notifications[0]!.id } });
    expect((await app.v1.markers.fetch({ timeline: ["notifications"] })).notifications.version).toBeNumber();
    expect(await app.v1.notifications.unreadCount.fetch()).toEqual({ count: 0 });
  });

  test("reads grouped notifications and accepts a notification request", async () => {
    const { id } = await alice.publish("for grouping");
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    const { notificationGroups, accounts } = await app.v2.notifications.list({ expandAccounts: "partial_avatars" });
    const [group] = notificationGroups;
    expect([group!.type, group!.notificationsCount, accounts[0]!.acct]).toEqual(["favourite", 1, "bob"]);
    const policy = await app.v2.notifications.policy.update({ forNotFollowing: "filter" });
    expect(policy.forNotFollowing).toBe("filter");
    await bob.publish("@alice hello");
    const [request] = await app.v1.notifications.requests.list();
    expect([request!.notificationsCount, request!.account.acct]).toEqual(["1", "bob"]);
    await app.v1.notifications.requests.$select(request!.id).accept();
    await server.drain();
    expect((await app.v1.notifications.requests.merged.fetch()).merged).toBe(true);
    expect((await app.v1.notifications.list())[0]!.type).toBe("mention");
  });

  test("receives error messages", async () => {
    await expect(app.v1.statuses.create({ status: "" } as never)).rejects.toThrow(
      "Validation failed: Text can't be blank",
    );
    await expect(app.v1.statuses.$select("1").fetch()).rejects.toThrow("Record not found");
  });
});

describe("A client may", () => {
  test("send no User-Agent", async () => {
    const { status } = await alice.get("/api/v1/timelines/home", { headers: { "user-agent": "" } });
    expect(status).toBe(200);
  });

  test("send a single value where a list is possible", async () => {
    expect((await alice.get(`/api/v1/accounts/relationships?id=${bob.id}`)).json[0].id).toBe(bob.id);
  });

  test("send a body with DELETE", async () => {
    const { id } = await alice.publish("hello");
    const { status } = await alice.delete(`/api/v1/statuses/${id}`, new URLSearchParams({ delete_media: "1" }));
    expect(status).toBe(200);
  });

  test("send line breaks as CRLF", async () => {
    expect((await alice.publish("a\r\nb\r\n\r\nc")).content).toBe("<p>a<br />b</p><p>c</p>");
  });

  test("send HEAD instead of GET", async () => {
    const { status, headers } = await fetch(`${server.origin}/api/v1/timelines/public`, { method: "HEAD" });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  });
});
