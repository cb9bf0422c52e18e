import { describe, expect, test } from "bun:test";
import { refusal, wordsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";

const { server, alice } = serverForEachTest(["alice"]);

const read = async (tag: string, query = ""): Promise<string[]> =>
  wordsOf(await server.stranger().get(`/api/v1/timelines/tag/${encodeURIComponent(tag)}${query}`));

describe("A hashtag", () => {
  test.each([
    ["#Cats", "cats", ["cats", "CATS", "CaTs"]],
    ["#Café", "cafe", ["café", "CAFÉ", "cafe"]],
    ["#日本語", "日本語", ["日本語"]],
    ["#Привет", "привет", ["ПРИВЕТ", "привет"]],
    ["#हिन्दी", "हिन्दी", ["हिन्दी"]],
    ["#مرحبا", "مرحبا", ["مرحبا"]],
    ["#한국어", "한국어", ["한국어"]],
    ["#ＦｕｌｌＷｉｄｔｈ", "fullwidth", ["FullWidth", "ｆｕｌｌｗｉｄｔｈ"]],
    ["#a_b", "a_b", ["A_B"]],
    ["#2026年", "2026年", ["2026年"]],
  ])("written %s leads to its timeline", async (written, name, spellings) => {
    const { tags, content } = await alice.publish(`about ${written}`);
    expect(tags).toEqual([{ name, url: `${server.origin}/tags/${encodeURIComponent(name)}` }]);
    expect(content).toContain(`href="${tags[0].url}"`);
    for (const spelling of spellings)
      expect([spelling, await read(spelling)]).toEqual([spelling, [`about ${written}`]]);
  });

  test("counts once per post", async () => {
    const { tags } = await alice.publish("#cats #CATS #Cats");
    expect(tags.length).toBe(1);
    expect((await read("cats")).length).toBe(1);
  });

  test("without posts, or an invalid one, has an empty timeline", async () => {
    await alice.publish("#cats");
    for (const tag of ["nothing", "100%", "%", "a/b", " ", "#", "\u0000", "x".repeat(5000)]) {
      for (const who of [alice, server.stranger()]) {
        const answer = await who.get(`/api/v1/timelines/tag/${encodeURIComponent(tag)}`);
        expect([answer.status, answer.json, answer.headers.get("link")]).toEqual([200, [], null]);
      }
    }
  });

  test("used only in a direct post has an empty timeline", async () => {
    await alice.publish({ status: "#secret", visibility: "direct" });
    const [secret, unused] = await Promise.all(
      ["secret", "unused"].map((name) => server.stranger().get(`/api/v1/timelines/tag/${name}`)),
    );
    expect(refusal(secret!)).toEqual(refusal(unused!));
  });

  test("with malformed percent-encoding has an empty timeline", async () => {
    const answer = await server.stranger().get("/api/v1/timelines/tag/%E0%A4%A");
    expect([answer.status, answer.json]).toEqual([200, []]);
  });
});

describe("The timeline of a hashtag", () => {
  test("contains replies, but only public posts and no boosts", async () => {
    const { id } = await alice.publish("#cats public");
    await alice.publish({ status: "#cats unlisted", visibility: "unlisted" });
    await alice.publish({ status: "#cats private", visibility: "private" });
    const bob = await server.person("bob");
    await bob.publish({ status: "#cats reply", in_reply_to_id: id });
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    const answer = await alice.get("/api/v1/timelines/tag/cats");
    expectShape(answer.json, ["Status"]);
    expect(wordsOf(answer)).toEqual(["#cats reply", "#cats public"]);
  });

  test("can be extended and restricted by other tags", async () => {
    for (const words of ["#a", "#b", "#a #b", "#a #c", "#a #b #c", "#d"]) await alice.publish(words);
    expect(await read("a")).toEqual(["#a #b #c", "#a #c", "#a #b", "#a"]);
    expect(await read("a", "?any[]=b&any[]=D")).toEqual(["#d", "#a #b #c", "#a #c", "#a #b", "#b", "#a"]);
    expect(await read("a", "?all[]=B")).toEqual(["#a #b #c", "#a #b"]);
    expect(await read("a", "?all[]=b&all[]=c")).toEqual(["#a #b #c"]);
    expect(await read("a", "?none[]=b&none[]=c")).toEqual(["#a"]);
    expect(await read("a", "?any[]=b&none[]=c")).toEqual(["#a #b", "#b", "#a"]);
    expect(await read("a", "?all[]=nobody")).toEqual([]);
    expect(await read("a", "?none[]=nobody")).toEqual(await read("a"));
    expect(await read("a", "?any=b&all=&none[]=")).toEqual(["#a #b #c", "#a #c", "#a #b", "#b", "#a"]);
  });

  test("shows a status with several of the tags once", async () => {
    await alice.publish("#a #b");
    await alice.publish("#b #a");
    expect(await read("a", "?any[]=b&limit=2")).toEqual(["#b #a", "#a #b"]);
  });

  test("can be limited to local, remote or media posts", async () => {
    const remote = remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "there");
    await alice.publish("#cats here");
    server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO status_tags (tag_id, status_id) SELECT id, $remote FROM tags", { remote: Number(remote) }),
    );
    const media = await uploaded(alice);
    await alice.publish({ status: "#cats picture", media_ids: [media.id] });
    expect(await read("cats")).toEqual(["#cats picture", "#cats here", "there"]);
    expect(await read("cats", "?local=true")).toEqual(["#cats picture", "#cats here"]);
    expect(await read("cats", "?remote=true")).toEqual(["there"]);
    expect(await read("cats", "?only_media=true")).toEqual(["#cats picture"]);
  });

  test("refuses too many tags", async () => {
    const many = Array.from({ length: 200 }, (_, at) => `any[]=t${at}`).join("&");
    expect((await alice.get(`/api/v1/timelines/tag/cats?${many}`)).status).toBe(422);
  });
});
