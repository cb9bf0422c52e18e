import { beforeEach, describe, expect, test } from "bun:test";
import { Hashtag, LanguageString } from "@fedify/vocab";
import type { Json } from "../support/client.ts";
import { aliceAndPeers } from "../support/federation.ts";
import type { NewPost, Peer } from "../support/fedify-peer.ts";

/* Whatever a user sets applies to what arrived from elsewhere, as it does to local posts. */

const { alice, newPeer, drain } = aliceAndPeers();
let fern: Peer;
let moss: Peer;

beforeEach(async () => {
  fern = await newPeer("fern");
  moss = await newPeer("moss");
  await alice.act("follow", fern);
  await drain();
});

const post = (peer: Peer, content: string, more: Partial<NewPost> = {}) =>
  peer.post({ to: "public", content: `<p>${content}</p>`, ...more });
const contentsAt = async (path: string) => (await alice.get(path)).json.map(({ content }: Json) => content);
const HOME = "/api/v1/timelines/home";

describe("What arrives from another server", () => {
  test("is in the lists of its author", async () => {
    const { json: list } = await alice.post("/api/v1/lists", { title: "Plants" });
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [await alice.idOf(fern)] });
    await post(fern, "rain");
    await drain();
    expect(await contentsAt(`/api/v1/timelines/list/${list.id}`)).toEqual(["<p>rain</p>"]);
  });

  test("is marked or hidden by filters", async () => {
    await alice.post("/api/v2/filters", {
      title: "Weather",
      context: ["home"],
      filter_action: "warn",
      keywords_attributes: [{ keyword: "rain" }],
    });
    await post(fern, "more rain");
    await drain();
    expect((await alice.home())[0].filtered).toMatchObject([
      { filter: { title: "Weather" }, keyword_matches: ["rain"] },
    ]);
  });

  test("is hidden while its author is muted or blocked, and its domain is blocked", async () => {
    await post(fern, "rain");
    await drain();
    await alice.act("mute", fern);
    expect(await contentsAt(HOME)).toEqual([]);
    await alice.act("unmute", fern);
    await post(fern, "sun", { mentions: [alice.uri] });
    await drain();
    expect(await alice.news()).toEqual([["mention", fern.handle]]);
    await alice.post("/api/v1/domain_blocks", { domain: fern.handle.split("@")[1] });
    await drain();
    expect(await contentsAt(HOME)).toEqual([]);
    expect(await alice.news()).toEqual([["severed_relationships", "alice"]]);
    // The follow has ended, and the other server knows.
    expect(fern.followers).toEqual([]);
  });

  test("by a stranger waits as a notification request if the policy says so", async () => {
    await alice.patch("/api/v2/notifications/policy", { for_not_following: "filter" });
    await post(moss, "hey", { mentions: [alice.uri] });
    await drain();
    expect(await alice.news()).toEqual([]);
    const { json: requests } = await alice.get("/api/v1/notifications/requests");
    expect(requests).toMatchObject([{ account: { acct: moss.handle }, notifications_count: "1" }]);
    await alice.post(`/api/v1/notifications/requests/${requests[0].id}/accept`);
    await drain();
    expect(await alice.news()).toEqual([["mention", moss.handle]]);
  });

  test("with a followed hashtag is in the home timeline, even from an account that nobody follows", async () => {
    await alice.post("/api/v1/tags/wet/follow");
    const tags = [new Hashtag({ name: "#wet", href: new URL("/tags/wet", moss.origin) })];
    const { activity } = await post(moss, "unrelated");
    await moss.send(activity, [alice.uri], { shared: true });
    const tagged = await post(moss, "#wet", { more: { tags } });
    await moss.send(tagged.activity, [alice.uri], { shared: true });
    await drain();
    expect(await contentsAt(HOME)).toEqual(["<p>#wet</p>"]);
    expect(await contentsAt("/api/v1/timelines/tag/wet")).toEqual(["<p>#wet</p>"]);
  });

  test("in another language than those chosen for the follow stays out of the home timeline", async () => {
    await alice.act("follow", fern, { languages: ["de"] });
    for (const [text, language] of [
      ["Regen", "de"],
      ["pluie", "fr"],
    ] as const) {
      await post(fern, text, { more: { content: null, contents: [new LanguageString(`<p>${text}</p>`, language)] } });
    }
    await drain();
    expect(await contentsAt(HOME)).toEqual(["<p>Regen</p>"]);
    expect((await alice.home())[0].language).toBe("de");
  });

  test("is a boost only if the user wants boosts of that account", async () => {
    await alice.act("follow", fern, { reblogs: false });
    const { uri } = await post(moss, "soft");
    await fern.boost(uri);
    await drain();
    expect(await contentsAt(HOME)).toEqual([]);
  });

  test("notifies the user who asked for each post of that account", async () => {
    await alice.act("follow", fern, { notify: true });
    await post(fern, "rain");
    await drain();
    expect(await alice.news()).toEqual([["status", fern.handle]]);
  });

  test("in a muted conversation notifies nobody", async () => {
    const { id, uri } = await alice.publish("Hello");
    await alice.post(`/api/v1/statuses/${id}/mute`);
    await post(fern, "hi", { mentions: [alice.uri], inReplyTo: uri });
    await drain();
    expect(await alice.news()).toEqual([]);
  });
});
