import { beforeEach, describe, expect, test } from "bun:test";
import { Image } from "@fedify/vocab";
import sharp from "sharp";
import { picture } from "../fixtures/pictures.ts";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";
import { uploaded } from "../support/uploads.ts";

/** Fetches a file of a user's own server, whose name resolves only inside of the servers. */
async function shown(user: Neighbour, url: string): Promise<{ status: number; type: string | null; size: number[] }> {
  expect(new URL(url).origin).toBe(user.server.ctx.config.origin);
  const response = await fetch(user.origin + new URL(url).pathname);
  const { width = 0, height = 0 } = response.ok ? await sharp(await response.bytes()).metadata() : {};
  return { status: response.status, type: response.headers.get("content-type"), size: [width, height] };
}

describe("Between two servers", () => {
  const { alice, bob, drain, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
  beforeEach(() => befriend(alice, bob));

  test("a picture arrives with alt text, focus and placeholder, and is shown through the reader's server", async () => {
    const media = await uploaded(alice, { description: "Rain on a window", focus: "0.5,-0.25" });
    const post = await alice.publish({ status: "Look!", media_ids: [media.id], sensitive: true });
    await drain();
    const { media_attachments: attachments, sensitive } = await bob.copyOf(post);
    expect(sensitive).toBe(true);
    expect(attachments).toMatchObject([
      {
        type: "image",
        description: "Rain on a window",
        blurhash: media.blurhash,
        meta: { focus: { x: 0.5, y: -0.25 }, original: { width: 40, height: 30 } },
        remote_url: media.url,
      },
    ]);
    const [{ url, preview_url }] = attachments;
    for (const each of [preview_url, url]) {
      expect(await shown(bob, each)).toMatchObject({ status: 200, size: [40, 30] });
    }
    // The copies stay when the other server is down.
    await alice.server.kill();
    expect(await shown(bob, url)).toMatchObject({ status: 200 });
    await alice.server.revive();

    advance(1000);
    await alice.put(`/api/v1/statuses/${post.id}`, {
      status: "Look!",
      media_ids: [media.id],
      media_attributes: [{ id: media.id, description: "Rain on my window" }],
    });
    await drain();
    expect((await bob.copyOf(post)).media_attachments).toMatchObject([{ description: "Rain on my window" }]);
  });
});

describe("With a server by others", () => {
  const { alice, drain, newFriend } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newFriend("fern");
  });

  test("a picture and an avatar are fetched when they are first shown, once", async () => {
    const bytes = new Uint8Array(await picture(60, 40).png().toBuffer());
    const attachments = [{ url: fern.put("/rain.png", bytes, "image/png"), mediaType: "image/png", alt: "drops" }];
    const post = await fern.post({ to: "public", content: "<p>rain</p>", attachments });
    const icon = new Image({ url: new URL(fern.put("/fern.png", bytes, "image/png")), mediaType: "image/png" });
    await fern.updateProfile({ more: { icon } });
    await drain();
    const asked = () => fern.asked.filter((each) => each.endsWith(".png"));
    const copy = await alice.copyOf(post);
    expect(asked()).toEqual([]);
    expect(copy.media_attachments).toMatchObject([
      { type: "image", description: "drops", remote_url: attachments[0]!.url },
    ]);
    const { preview_url } = copy.media_attachments[0];
    expect(await shown(alice, preview_url)).toMatchObject({ status: 200, size: [60, 40] });
    expect(await shown(alice, preview_url)).toMatchObject({ status: 200 });
    expect(await shown(alice, copy.account.avatar)).toMatchObject({ status: 200 });
    expect(asked()).toEqual(["GET /rain.png", "GET /fern.png"]);
  });

  test("a picture is sent with alt text, focus and placeholder", async () => {
    const media = await uploaded(alice, { description: "Rain", focus: "0.5,-0.25" });
    await alice.publish({ status: "Look!", media_ids: [media.id] });
    await drain();
    expect(fern.received.at(-1)!.json).toMatchObject({
      object: {
        attachment: [
          {
            type: "Document",
            mediaType: "image/png",
            url: media.url,
            name: "Rain",
            blurhash: media.blurhash,
            width: 40,
            height: 30,
            focalPoint: [0.5, -0.25],
          },
        ],
      },
    });
  });
});
