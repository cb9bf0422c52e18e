import { describe, expect, test } from "bun:test";
import { saveRemoteEmojis } from "../../src/core/remote-media/remote-emojis.ts";
import type { Json } from "../support/client.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server } = serverForEachTest();
const emoji = (shortcode: string, imageUrl = "https://far.example/emoji.png") => ({
  shortcode,
  imageUrl,
  uri: null,
  updatedAt: null,
});

describe("A server that invents emoji", () => {
  test("has 5,000 of them here, which still change, and other servers have theirs", () => {
    const { ctx } = server;
    const save = (domain: string, emojis: ReturnType<typeof emoji>[]) =>
      ctx.db.transaction((tx) => saveRemoteEmojis(ctx, tx, domain, emojis));
    const count = (domain: string) =>
      ctx.db.get<Json>("SELECT count(*) AS n FROM custom_emojis WHERE domain = $domain", { domain })!.n;
    save(
      "far.example",
      Array.from({ length: 5010 }, (_, at) => emoji(`blob${at}`)),
    );
    expect(count("far.example")).toBe(5000);
    save("far.example", [emoji("blob7", "https://far.example/new.png"), emoji("another")]);
    expect(count("far.example")).toBe(5000);
    const changed = "SELECT shortcode FROM custom_emojis WHERE image_remote_url LIKE '%/new.png'";
    expect(ctx.db.all(changed)).toEqual([{ shortcode: "blob7" }]);
    save("near.example", [emoji("blob1")]);
    expect(count("near.example")).toBe(1);
  });
});
