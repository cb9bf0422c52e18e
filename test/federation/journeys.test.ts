import { describe, expect, test } from "bun:test";
import { neighboursForEachTest } from "../support/federation.ts";

const { alice, bob, drain } = neighboursForEachTest(["alice", "bob"]);

describe("Two servers", () => {
  test("A user finds an account of another server by its handle, and follows it", async () => {
    const bobId = await bob.idFor(alice);
    expect((await alice.post(`/api/v1/accounts/${bobId}/follow`)).json).toMatchObject({
      requested: true,
      following: false,
    });
    await drain();
    const [relationship] = (await alice.get(`/api/v1/accounts/relationships?id[]=${bobId}`)).json;
    expect(relationship).toMatchObject({ requested: false, following: true });
    const [notification] = (await bob.get("/api/v1/notifications")).json;
    expect(notification).toMatchObject({ type: "follow", account: { acct: alice.handle } });
    await bob.publish("Hello from afar");
    await drain();
    const [status] = (await alice.get("/api/v1/timelines/home")).json;
    expect(status).toMatchObject({ content: "<p>Hello from afar</p>", account: { acct: bob.handle } });
  });
});
