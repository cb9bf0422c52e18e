import { describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";

const { server, anna, bert } = serverForAllTests(["anna", "bert"]);

/** The texts of the results, newest first. */
async function found(who: Client, q: string, more = ""): Promise<string[]> {
  const { status, json } = await who.get(`/api/v2/search?type=statuses&q=${encodeURIComponent(q)}${more}`);
  expect(status).toBe(200);
  return json.statuses.map((found: { content: string }) => found.content.replace(/<[^>]+>/g, ""));
}

describe("A post that the user wrote or interacted with", () => {
  test("is found by its words, in any order, case and accents", async () => {
    await anna.publish("Zwei Amseln im Garten, über der Hecke");
    expect(await found(anna, "GARTEN amseln")).toEqual(["Zwei Amseln im Garten, über der Hecke"]);
    expect(await found(anna, "uber hecke")).toHaveLength(1);
    expect(await found(anna, "amseln meisen")).toEqual([]);
  });

  test("is found by a phrase only in the same order", async () => {
    await anna.publish("the quick brown fox");
    expect(await found(anna, '"quick brown"')).toHaveLength(1);
    expect(await found(anna, '"brown quick"')).toEqual([]);
  });

  test("is found by the first 32 words of a query, in one phrase or several", async () => {
    const words = Array.from({ length: 32 }, (_, at) => `nest${at}`).join(" ");
    await anna.publish(words);
    for (const q of [`${words} missing`, `"${words} missing"`, `"${words}" "missing too"`]) {
      expect([q, await found(anna, q)]).toEqual([q, [words]]);
    }
    expect(await found(anna, `${words.replace("nest9", "missing")}`)).toEqual([]);
    await anna.publish("鳥".repeat(32));
    expect(await found(anna, `${"鳥".repeat(32)}巣`)).toHaveLength(1);
  });

  test("is excluded by a minus before a word, a phrase or an operator", async () => {
    await anna.publish("lemon tart");
    await anna.publish("lemon cake #recipe https://example.org/cake");
    expect(await found(anna, "lemon -tart")).toHaveLength(1);
    expect(await found(anna, 'lemon -"lemon cake"')).toEqual(["lemon tart"]);
    expect(await found(anna, "lemon has:link")).toHaveLength(1);
    expect(await found(anna, "lemon -has:link")).toEqual(["lemon tart"]);
  });

  test("is found in scripts without spaces, even by one or two characters", async () => {
    await anna.publish("今日は東京で寿司を食べた");
    expect(await found(anna, "東京")).toHaveLength(1);
    expect(await found(anna, "寿司 食べた")).toHaveLength(1);
    expect(await found(anna, "東")).toHaveLength(1);
    expect(await found(anna, "京都")).toEqual([]);
    for (const last of ["た", "食べた", '"寿司を食べた"']) expect(await found(anna, last)).toHaveLength(1);
    for (const [text, ...words] of [
      ["我在上海喝茶。", "上海", "茶", "喝茶", "在上"],
      ["ฉันรักแมวมาก", "แมว", "รัก", "มาก"],
      ["東京tower", "東京", "京tower", "tower"],
    ]) {
      await anna.publish(text!);
      for (const word of words) expect(await found(anna, word)).toContain(text!);
    }
  });

  test("includes mentions, favourites, bookmarks and boosts", async () => {
    const theirs = await bert.publish("a marmalade of quinces");
    const statuses = (): Promise<string[]> => found(anna, "quinces");
    expect(await statuses()).toEqual([]);
    for (const [verb, undo] of [
      ["favourite", "unfavourite"],
      ["bookmark", "unbookmark"],
      ["reblog", "unreblog"],
    ]) {
      await anna.post(`/api/v1/statuses/${theirs.id}/${verb}`);
      expect(await statuses()).toEqual(["a marmalade of quinces"]);
      await anna.post(`/api/v1/statuses/${theirs.id}/${undo}`);
      expect(await statuses()).toEqual([]);
    }
    await bert.publish({ status: "@anna quinces for you", visibility: "direct" });
    expect(await statuses()).toHaveLength(1);
    expect(await found(bert, "quinces")).toHaveLength(2);
  });

  test("is not found if they may no longer see it or have muted its author", async () => {
    const [carla, dora] = [await server.person("carla"), await server.person("dora")];
    await carla.follow(dora);
    const { id } = await dora.publish({ status: "a secret cassowary", visibility: "private" });
    await carla.post(`/api/v1/statuses/${id}/bookmark`);
    expect(await found(carla, "cassowary")).toHaveLength(1);
    await carla.post(`/api/v1/accounts/${dora.id}/unfollow`);
    expect(await found(carla, "cassowary")).toEqual([]);
    await dora.publish("@carla an open cassowary");
    expect(await found(carla, "cassowary")).toHaveLength(1);
    await carla.post(`/api/v1/accounts/${dora.id}/mute`);
    expect(await found(carla, "cassowary")).toEqual([]);
  });

  test("is found by its current text, not by earlier versions", async () => {
    const status = await anna.publish("a first walrus");
    await anna.put(`/api/v1/statuses/${status.id}`, { status: "a second narwhal" });
    expect(await found(anna, "walrus")).toEqual([]);
    expect(await found(anna, "narwhal")).toHaveLength(1);
    await anna.delete(`/api/v1/statuses/${status.id}`);
    expect(await found(anna, "narwhal")).toEqual([]);
  });
});

describe("Search operators", () => {
  test("select by author, type and language", async () => {
    const question = await bert.publish({ status: "@anna sphinx?", language: "de" });
    await anna.publish({ status: "@bert sphinx!", in_reply_to_id: question.id, sensitive: true, language: "el" });
    expect(await found(anna, "sphinx")).toHaveLength(2);
    expect(await found(anna, "sphinx from:me")).toEqual(["@bert sphinx!"]);
    expect(await found(anna, "sphinx from:@bert")).toEqual(["@anna sphinx?"]);
    expect(await found(anna, "sphinx from:nobody")).toEqual([]);
    expect(await found(anna, "sphinx is:reply")).toEqual(["@bert sphinx!"]);
    expect(await found(anna, "sphinx -is:reply")).toEqual(["@anna sphinx?"]);
    expect(await found(anna, "sphinx is:sensitive")).toEqual(["@bert sphinx!"]);
    expect(await found(anna, "sphinx language:de")).toEqual(["@anna sphinx?"]);
    expect(await found(anna, "sphinx -is:sensitive -from:me")).toEqual(["@anna sphinx?"]);
  });

  test("select by attachment", async () => {
    const { id } = await uploaded(anna);
    await anna.publish({ status: "griffin picture", media_ids: [id] });
    await anna.publish({ status: "griffin poll", poll: { options: ["a", "b"], expires_in: 300 } });
    await anna.publish("griffin link https://example.org/");
    await anna.publish("griffin words");
    for (const kind of ["picture", "poll", "link"]) {
      const operator = kind === "picture" ? "media" : kind;
      expect(await found(anna, `griffin has:${operator}`)).toEqual([
        kind === "link" ? "griffin link https://example.org/" : `griffin ${kind}`,
      ]);
    }
    expect(await found(anna, "griffin has:image")).toEqual(["griffin picture"]);
    expect(await found(anna, "griffin has:video")).toEqual([]);
    expect(await found(anna, "griffin has:audio")).toEqual([]);
    expect(await found(anna, "griffin has:nonsense")).toEqual([]);
    expect(await found(anna, "griffin -has:media -has:poll -has:link")).toEqual(["griffin words"]);
  });

  test("select by date", async () => {
    const day = (): string => new Date(server.clock.now()).toISOString().slice(0, 10);
    const first = day();
    await anna.publish("calendar one");
    server.clock.advance(24 * 3600_000);
    const second = day();
    await anna.publish("calendar two");
    expect(await found(anna, `calendar before:${second}`)).toEqual(["calendar one"]);
    expect(await found(anna, `calendar after:${first}`)).toEqual(["calendar two"]);
    expect(await found(anna, `calendar during:${second}`)).toEqual(["calendar two"]);
    expect(await found(anna, "calendar before:soon")).toHaveLength(2);
    expect(await found(anna, `calendar -before:${second}`)).toEqual(["calendar two"]);
    expect(await found(anna, `calendar -after:${first}`)).toEqual(["calendar one"]);
    expect(await found(anna, `calendar -during:${first}`)).toEqual(["calendar two"]);
  });
});

describe("Public posts", () => {
  test("are found by all users if the owner allows it and the author is indexable", async () => {
    const open = await startServer({ LINNET_SEARCH: "public" });
    const [carla, dora] = [await open.person("carla"), await open.person("dora")];
    await (await open.person("emil")).publish("hidden pelican");
    await dora.patch("/api/v1/accounts/update_credentials", { indexable: true });
    await dora.publish("public pelican");
    await dora.publish({ status: "private pelican", visibility: "private" });
    expect(await found(carla, "pelican")).toEqual(["public pelican"]);
    expect(await found(carla, "pelican in:library")).toEqual([]);
    expect(await found(dora, "pelican in:public")).toEqual(["public pelican"]);
    expect(await found(dora, "pelican")).toHaveLength(2);
    await open.stop();
  });

  test("are found depending on the author's current setting, whenever they were written", async () => {
    const open = await startServer({ LINNET_SEARCH: "public" });
    const [carla, dora] = [await open.person("carla"), await open.person("dora")];
    const { id } = await dora.publish("an early pelican");
    const setIndexable = (indexable: boolean) => dora.patch("/api/v1/accounts/update_credentials", { indexable });
    expect(await found(carla, "pelican")).toEqual([]);
    await setIndexable(true);
    expect(await found(carla, "pelican")).toEqual(["an early pelican"]);
    await dora.publish("a late pelican");
    await setIndexable(false);
    expect(await found(carla, "pelican")).toEqual([]);
    await carla.post(`/api/v1/statuses/${id}/bookmark`);
    expect(await found(carla, "pelican")).toEqual(["an early pelican"]);
    await open.stop();
  });

  test("are not found anonymously", async () => {
    await anna.publish("a stranger's heron");
    expect(await found(server.stranger(), "heron")).toEqual([]);
  });
});

describe("Search parameters", () => {
  test("limit, offset, max_id, min_id and account_id select pages", async () => {
    const ids: string[] = [];
    for (const number of [1, 2, 3]) ids.push((await anna.publish(`paging bittern ${number}`)).id);
    expect(await found(anna, "bittern", "&limit=1")).toEqual(["paging bittern 3"]);
    expect(await found(anna, "bittern", "&limit=1&offset=1")).toEqual(["paging bittern 2"]);
    expect(await found(anna, "bittern", `&max_id=${ids[1]}`)).toEqual(["paging bittern 1"]);
    expect(await found(anna, "bittern", `&min_id=${ids[1]}`)).toEqual(["paging bittern 3"]);
    expect(await found(anna, "bittern", `&min_id=1&limit=1`)).toEqual(["paging bittern 1"]);
    expect(await found(anna, "bittern", `&min_id=1&max_id=${ids[2]}`)).toEqual([
      "paging bittern 2",
      "paging bittern 1",
    ]);
    expect(await found(anna, "bittern", `&account_id=${anna.id}`)).toHaveLength(3);
    expect(await found(anna, "bittern", `&account_id=${bert.id}`)).toEqual([]);
  });

  test("without a type return accounts, statuses and hashtags, each up to the limit", async () => {
    await server.person("zaunkoenig");
    await anna.publish("zaunkoenig and the #zaunkoenige, or two");
    const { json } = await anna.get("/api/v2/search?q=zaunkoenig");
    expect(json.accounts.map((account: { acct: string }) => account.acct)).toEqual(["zaunkoenig"]);
    expect(json.hashtags.map((tag: { name: string }) => tag.name)).toEqual(["zaunkoenige"]);
    expect(json.statuses).toHaveLength(1);
  });

  test("with empty or odd queries cause no errors", async () => {
    for (const q of [
      "",
      "   ",
      "-",
      '"',
      '""',
      "***",
      'a"b',
      "from:",
      "NOT",
      "AND OR",
      "words : x",
      "(",
      ")))",
      "\u0000",
    ]) {
      const { status } = await anna.get(`/api/v2/search?q=${encodeURIComponent(q)}`);
      expect(status).toBe(200);
    }
    expect(await found(anna, "-lemon")).not.toContain("lemon tart");
  });

  test("resolve and offset require a user, and a token needs read:search", async () => {
    for (const parameter of ["resolve=true", "offset=1"]) {
      expect((await server.stranger().get(`/api/v2/search?q=a&${parameter}`)).status).toBe(401);
    }
    const limited = await server.person("limited", { scopes: "read:accounts" });
    expect((await limited.get("/api/v2/search?q=a")).status).toBe(403);
    expect((await anna.get("/api/v2/search?q=a&type=nonsense")).status).toBe(422);
  });
});
