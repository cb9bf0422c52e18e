import { describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";
import { hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { pictureFile, formOf } from "../support/uploads.ts";

const MINUTE = 60_000;

describe("Among three servers", () => {
  const { alice, bob, carol, drain, befriend } = neighboursForEachTest(["alice", "bob", "carol"]);

  test("a profile edit reaches followers, and servers that were sent the profile before", async () => {
    await befriend(alice, bob);
    await alice.publish({ status: `@${carol.handle} hi`, visibility: "direct" });
    await drain();
    await carol.idOf(alice);
    await alice.patch(
      "/api/v1/accounts/update_credentials",
      formOf({
        display_name: "Alice the second",
        note: "I *like* tea",
        locked: "true",
        "fields_attributes[0][name]": "Drink",
        "fields_attributes[0][value]": "Tea",
        avatar: await pictureFile("png", { width: 400, height: 400 }),
      }),
    );
    await drain();
    for (const other of [bob, carol]) {
      const profile = await other.profile(alice);
      expect(profile).toMatchObject({
        acct: alice.handle,
        display_name: "Alice the second",
        note: "<p>I *like* tea</p>",
        locked: true,
        bot: false,
        group: false,
        fields: [{ name: "Drink", value: "Tea" }],
      });
      const { origin, pathname } = new URL(profile.avatar);
      expect(origin).toBe(other.server.ctx.config.origin);
      const picture = await fetch(other.origin + pathname);
      expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    }
  });

  test("a deleted account takes its posts, follows and reactions with it everywhere", async () => {
    const dora = await alice.server.person("dora", { role: "user", password: "correct horse" });
    const doraHandle = `dora@${alice.server.ctx.config.handleDomain}`;
    const known = { handle: doraHandle, uri: `${alice.server.ctx.config.origin}/users/dora` };
    for (const other of [bob, carol]) await other.act("follow", known);
    await dora.follow({ id: await alice.idOf(bob) });
    await drain();
    const hello = await dora.publish("Hello");
    const post = await bob.publish("Hi");
    await drain();
    await dora.post(`/api/v1/statuses/${(await alice.copyOf(post)).id}/favourite`);
    await drain();
    expect(await bob.copyOf(post)).toMatchObject({ favourites_count: 1 });
    const { id } = await bob.copyOf(hello);

    deleteAccount(alice.server.ctx, Number(dora.id));
    await drain();
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect(await carol.copyOf(hello)).toBeNull();
    expect(await carol.home()).toEqual([]);
    expect(await bob.copyOf(post)).toMatchObject({ favourites_count: 0 });
    const self = await bob.get("/api/v1/accounts/verify_credentials");
    expect(self.json).toMatchObject({ followers_count: 0, following_count: 0 });
    for (const accept of ["application/activity+json", "text/html"]) {
      for (const path of ["/@dora", new URL(hello.url).pathname, new URL(hello.uri).pathname]) {
        const { status } = await alice.server.stranger().get(path, { headers: { accept } });
        expect([accept, path, status]).toEqual([accept, path, 410]);
      }
    }
  });
});

describe("With a server by others", () => {
  const { alice, drain, advance, newFriend, newFollowed, newFollower } = aliceAndPeers();

  test("a profile edit arrives, and a new name is shown everywhere", async () => {
    const fern = await newFollowed("fern");
    const post = await fern.post({ to: "public", content: "<p>rain</p>" });
    await fern.updateProfile({
      displayName: "Fern the second",
      summary: "<p>Green<script>1</script></p>",
      locked: true,
    });
    await drain();
    expect(await alice.profile(fern)).toMatchObject({
      display_name: "Fern the second",
      note: "<p>Green</p>",
      locked: true,
      url: `${fern.origin}/@fern`,
    });
    expect((await alice.copyOf(post)).account).toMatchObject({ display_name: "Fern the second" });
  });

  test("a profile edit is sent, readable for others", async () => {
    const fern = await newFollower("fern");
    await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice the second", note: "Tea" });
    await drain();
    expect(fern.received.at(-1)).toMatchObject({ type: "Update", actor: alice.uri, object: alice.uri });
    expect(await fern.lookup(alice.uri)).toMatchObject({ name: "Alice the second", summary: "<p>Tea</p>" });
  });

  test("a deleted account disappears with its posts", async () => {
    const fern = await newFriend("fern");
    const post = await fern.post({ to: "public", content: "<p>rain</p>", mentions: [alice.uri] });
    await fern.like((await alice.publish("Hello")).uri);
    await drain();
    const fernId = await alice.idOf(fern);
    expect(await alice.news()).toHaveLength(3);
    await fern.deleteAccount();
    await drain();
    expect(await alice.copyOf(post)).toBeNull();
    expect(await alice.home()).toMatchObject([{ content: "<p>Hello</p>", favourites_count: 0 }]);
    expect(await alice.news()).toEqual([]);
    expect((await alice.get("/api/v1/accounts/verify_credentials")).json).toMatchObject({
      followers_count: 0,
      following_count: 0,
    });
    expect((await alice.get(`/api/v1/accounts/${fernId}/statuses`)).json).toEqual([]);
  });

  test("an account that replaced its key is believed with the new one, and no longer with the old one", async () => {
    const fern = await newFollowed("fern");
    await fern.post({ to: "public", content: "<p>old</p>" });
    await drain();
    advance(1000);
    await fern.rotateKey();
    const post = await fern.post({ to: "public", content: "<p>new</p>" });
    expect(post.status).toBe(202);
    await drain();
    expect((await alice.home()).map(({ content }) => content)).toEqual(["<p>new</p>", "<p>old</p>"]);

    // A forger could make the server fetch keys, so it does that once in five minutes.
    const fetches = () => fern.asked.filter((each) => each === "GET /actors/fern").length;
    const before = fetches();
    await fern.rotateKey();
    expect((await fern.post({ to: "public", content: "<p>too soon</p>" })).status).toBe(401);
    expect(fetches()).toBe(before);
    advance(6 * MINUTE);
    expect((await fern.post({ to: "public", content: "<p>newer</p>" })).status).toBe(202);
  });
});

describe("An account of a server by others", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();

  test("is a memorial if its server says so", async () => {
    const [fern, moss] = [peer.account("fern"), peer.account("moss", "evil.test", { memorial: true })];
    await alice.idOf(fern);
    expect(await alice.profile(fern)).not.toHaveProperty("memorial");
    expect(await alice.profile(moss)).toMatchObject({ memorial: true });
    await fern.deliver(alice.server, fern.activity("Update", { ...fern.document, memorial: true }));
    await moss.deliver(alice.server, moss.activity("Update", { ...moss.document, memorial: false }));
    expect(await alice.profile(fern)).toMatchObject({ memorial: true });
    expect(await alice.profile(moss)).not.toHaveProperty("memorial");
  });
});
