import { beforeAll, describe, expect, test } from "bun:test";
import { SCOPES } from "../../src/oauth/scopes.ts";
import { Client, type Answer } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);
let statusId: string;

beforeAll(async () => {
  statusId = (await alice.publish("hello #cats")).id;
});

type Method = "get" | "post" | "put" | "patch" | "delete";

/** Methods that need a user token with this scope. ACCOUNT and STATUS stand for ids that exist. */
const FOR_PEOPLE: [Method, string, string][] = [
  ["get", "/api/v1/accounts/verify_credentials", "read:accounts"],
  ["patch", "/api/v1/accounts/update_credentials", "write:accounts"],
  ["get", "/api/v1/preferences", "read:accounts"],
  ["get", "/api/v1/accounts/relationships", "read:follows"],
  ["get", "/api/v1/accounts/search", "read:accounts"],
  ["post", "/api/v1/accounts/ACCOUNT/follow", "write:follows"],
  ["post", "/api/v1/accounts/ACCOUNT/unfollow", "write:follows"],
  ["get", "/api/v1/follow_requests", "read:follows"],
  ["post", "/api/v1/follow_requests/ACCOUNT/authorize", "write:follows"],
  ["post", "/api/v1/follow_requests/ACCOUNT/reject", "write:follows"],
  ["post", "/api/v1/accounts/ACCOUNT/remove_from_followers", "write:follows"],
  ["get", "/api/v1/accounts/familiar_followers", "read:follows"],
  ["post", "/api/v1/accounts/ACCOUNT/note", "write:accounts"],
  ["get", "/api/v1/accounts/ACCOUNT/identity_proofs", "read:accounts"],
  ["post", "/api/v1/accounts/ACCOUNT/block", "write:blocks"],
  ["post", "/api/v1/accounts/ACCOUNT/unblock", "write:blocks"],
  ["get", "/api/v1/blocks", "read:blocks"],
  ["post", "/api/v1/accounts/ACCOUNT/mute", "write:mutes"],
  ["post", "/api/v1/accounts/ACCOUNT/unmute", "write:mutes"],
  ["get", "/api/v1/mutes", "read:mutes"],
  ["get", "/api/v1/domain_blocks", "read:blocks"],
  ["post", "/api/v1/domain_blocks", "write:blocks"],
  ["delete", "/api/v1/domain_blocks", "write:blocks"],
  ["post", "/api/v1/accounts/ACCOUNT/endorse", "write:accounts"],
  ["post", "/api/v1/accounts/ACCOUNT/unendorse", "write:accounts"],
  ["post", "/api/v1/accounts/ACCOUNT/pin", "write:accounts"],
  ["post", "/api/v1/accounts/ACCOUNT/unpin", "write:accounts"],
  ["get", "/api/v1/endorsements", "read:accounts"],
  ["get", "/api/v1/suggestions", "read:accounts"],
  ["get", "/api/v2/suggestions", "read:accounts"],
  ["get", "/api/v1/profile", "read:accounts"],
  ["put", "/api/v1/profile", "write:accounts"],
  ["patch", "/api/v1/profile", "write:accounts"],
  ["delete", "/api/v1/profile/avatar", "write:accounts"],
  ["delete", "/api/v1/profile/header", "write:accounts"],
  ["post", "/api/v1/statuses", "write:statuses"],
  ["put", "/api/v1/statuses/STATUS", "write:statuses"],
  ["delete", "/api/v1/statuses/9", "write:statuses"],
  ["get", "/api/v1/statuses/STATUS/source", "read:statuses"],
  ["post", "/api/v1/statuses/STATUS/favourite", "write:favourites"],
  ["post", "/api/v1/statuses/STATUS/unfavourite", "write:favourites"],
  ["post", "/api/v1/statuses/STATUS/bookmark", "write:bookmarks"],
  ["post", "/api/v1/statuses/STATUS/unbookmark", "write:bookmarks"],
  ["post", "/api/v1/statuses/STATUS/reblog", "write:statuses"],
  ["post", "/api/v1/statuses/STATUS/unreblog", "write:statuses"],
  ["post", "/api/v1/statuses/STATUS/pin", "write:accounts"],
  ["post", "/api/v1/statuses/STATUS/unpin", "write:accounts"],
  ["post", "/api/v1/statuses/STATUS/mute", "write:mutes"],
  ["post", "/api/v1/statuses/STATUS/unmute", "write:mutes"],
  ["post", "/api/v1/media", "write:media"],
  ["post", "/api/v2/media", "write:media"],
  ["get", "/api/v1/media/9", "write:media"],
  ["put", "/api/v1/media/9", "write:media"],
  ["delete", "/api/v1/media/9", "write:media"],
  ["get", "/api/v1/timelines/home", "read:statuses"],
  ["get", "/api/v1/favourites", "read:favourites"],
  ["get", "/api/v1/bookmarks", "read:bookmarks"],
  ["get", "/api/v1/notifications", "read:notifications"],
  ["get", "/api/v1/notifications/9", "read:notifications"],
  ["get", "/api/v1/notifications/unread_count", "read:notifications"],
  ["post", "/api/v1/notifications/clear", "write:notifications"],
  ["post", "/api/v1/notifications/9/dismiss", "write:notifications"],
  ["get", "/api/v1/markers", "read:statuses"],
  ["post", "/api/v1/markers", "write:statuses"],
];

/** Methods that strangers may call. If a token is sent, it must have the scope. */
const FOR_EVERYONE: [Method, string, string][] = [
  ["get", "/api/v1/accounts/ACCOUNT", "read:accounts"],
  ["get", "/api/v1/accounts", "read:accounts"],
  ["get", "/api/v1/accounts/lookup?acct=alice", "read:accounts"],
  ["get", "/api/v1/accounts/ACCOUNT/statuses", "read:statuses"],
  ["get", "/api/v1/accounts/ACCOUNT/followers", "read:accounts"],
  ["get", "/api/v1/accounts/ACCOUNT/following", "read:accounts"],
  ["get", "/api/v1/accounts/ACCOUNT/endorsements", "read:accounts"],
  ["get", "/api/v1/statuses", "read:statuses"],
  ["get", "/api/v1/statuses/STATUS", "read:statuses"],
  ["get", "/api/v1/statuses/STATUS/context", "read:statuses"],
  ["get", "/api/v1/statuses/STATUS/history", "read:statuses"],
  ["get", "/api/v1/statuses/STATUS/favourited_by", "read:statuses"],
  ["get", "/api/v1/statuses/STATUS/reblogged_by", "read:statuses"],
  ["get", "/api/v1/timelines/public", "read:statuses"],
  ["get", "/api/v1/timelines/tag/cats", "read:statuses"],
];

function ask(client: Client, method: Method, path: string): Promise<Answer> {
  return client[method](path.replace("ACCOUNT", bob.id).replace("STATUS", statusId));
}

function clientWith(token: string): Client {
  return new Client(server.origin, token);
}

const INVALID = [401, { error: "The access token is invalid" }];
const OUTSIDE = [403, { error: "This action is outside the authorized scopes" }];
const of = ({ status, json }: Answer) => [status, json];

describe.each(FOR_PEOPLE)("%s %s", (method, path, scope) => {
  test("refuses a request without a token", async () => {
    expect(of(await ask(server.stranger(), method, path))).toEqual(INVALID);
  });

  test(`needs ${scope}, by itself or within a wider scope`, async () => {
    const userId = server.ctx.db.get<{ id: number }>("SELECT id FROM users ORDER BY id")!.id;
    const everythingElse = SCOPES.filter((other) => other.includes(":") && other !== scope);
    expect(of(await ask(clientWith(server.token(userId, everythingElse.join(" "))), method, path))).toEqual(OUTSIDE);
    for (const enough of [scope, scope.split(":")[0]!]) {
      const { status } = await ask(clientWith(server.token(userId, enough)), method, path);
      expect([401, 403]).not.toContain(status);
    }
  });

  test("refuses a token that acts for no user", async () => {
    const { status, json } = await ask(clientWith(server.token(null, "read write")), method, path);
    expect([status, json]).toEqual([422, { error: "This method requires an authenticated user" }]);
  });
});

describe.each(FOR_EVERYONE)("%s %s", (method, path, scope) => {
  test(`is open to everyone, and with a token needs ${scope}`, async () => {
    expect((await ask(server.stranger(), method, path)).status).toBe(200);
    expect((await ask(clientWith(server.token(null, scope)), method, path)).status).toBe(200);
    expect(of(await ask(clientWith(server.token(null, "write push follow")), method, path))).toEqual(OUTSIDE);
    expect(of(await ask(clientWith("made up"), method, path))).toEqual(INVALID);
  });
});

describe("A token", () => {
  const verify = (authorization: string): Promise<Answer> =>
    server.stranger().get("/api/v1/accounts/verify_credentials", { headers: { authorization } });

  test.each(["Bearer", "Bearer ", "Bearer made-up", "Basic YTpi", "Token x", `Bearer ${"x".repeat(5000)}`, "'; --"])(
    "is invalid if it is sent as %p",
    async (authorization) => {
      expect(of(await verify(authorization))).toEqual(INVALID);
    },
  );

  test("is accepted with the word Bearer in any case", async () => {
    for (const word of ["Bearer", "bearer", "BEARER"]) {
      expect((await verify(`${word} ${alice.token}`)).status).toBe(200);
    }
  });

  test("is stored as a hash, which is not accepted as a token", async () => {
    const { token_hash } = server.ctx.db.get<{ token_hash: string }>(
      "SELECT token_hash FROM oauth_tokens ORDER BY id",
    )!;
    expect(token_hash).not.toBe(alice.token!);
    expect((await verify(`Bearer ${token_hash}`)).status).toBe(401);
  });
});

test("The old scope follow covers follows, blocks and mutes only", async () => {
  const carol = await server.person("carol", { scopes: "follow" });
  expect((await carol.follow(alice)).status).toBe(200);
  expect((await carol.get("/api/v1/follow_requests")).status).toBe(200);
  expect((await carol.get("/api/v1/mutes")).status).toBe(200);
  expect((await carol.get("/api/v1/timelines/home")).status).toBe(403);
});
