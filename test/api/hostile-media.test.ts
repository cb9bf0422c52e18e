import { beforeEach, expect, test } from "bun:test";
import { MediaProcesses } from "../../src/lib/media/media-processes.ts";
import { MediaQueue } from "../../src/lib/media/media-queue.ts";
import { ENDLESS } from "../fixtures/hostile-clips.ts";
import { blackPng, movingWebp } from "../fixtures/hostile-pictures.ts";
import type { Client } from "../support/client.ts";
import { mediaFiles } from "../support/media.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { formOf, pictureFile, upload } from "../support/uploads.ts";

const PATIENCE = 30_000;

const { server } = serverForEachTest();
let mallory: Client;

beforeEach(async () => {
  server.ctx.media = new MediaQueue(new MediaProcesses({ seconds: 2 }));
  mallory = await server.person("mallory", { role: "user" });
});

const fileOf = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], "clip");

inProcess.each(Object.entries(ENDLESS))(
  "The server responds while it inspects and then refuses %s",
  async (_, bytes) => {
    const refused = upload(mallory, fileOf(bytes));
    for (let answers = 0; answers < 20; answers++) {
      const health = await Promise.race([server.stranger().get("/health"), refused.then(() => null)]);
      expect(health?.status).toBe(200);
    }
    const { status, json } = await refused;
    expect([status, json.error]).toEqual([422, expect.stringContaining("more time or memory")]);
    expect(mediaFiles(server)).toEqual([]);
  },
  PATIENCE,
);

inProcess(
  "Endless uploads by two users don't delay another user's uploads",
  async () => {
    server.ctx.media = new MediaQueue(new MediaProcesses({ seconds: 4 }));
    const [oscar, alice] = [await server.person("oscar"), await server.person("alice")];
    const [flac, , matroska] = Object.values(ENDLESS).map(fileOf);
    const order: string[] = [];
    const record = async (who: string, work: Promise<{ status: number }>) => {
      order.push(`${who} ${(await work).status}`);
    };
    const hostile = [
      record("mallory", upload(mallory, flac!)),
      record("mallory", upload(mallory, matroska!)),
      record("oscar", upload(oscar, matroska!)),
    ];
    await record("alice", upload(alice, await pictureFile()));
    await record("alice", upload(alice, await pictureFile("webp")));
    await record("alice", alice.patch("/api/v1/accounts/update_credentials", formOf({ avatar: await pictureFile() })));
    expect(order).toEqual(["alice 200", "alice 200", "alice 200"]);
    await Promise.all(hostile);
    expect(order.slice(3).sort()).toEqual(["mallory 422", "mallory 422", "oscar 422"]);
  },
  PATIENCE,
);

test("A picture that would take long to decode is refused by its header, with a reason", async () => {
  const pictures = {
    "webp of 80,000 frames": await movingWebp(80_000, 1),
    "wide png": blackPng(1_000_000, 33),
  };
  for (const [name, bytes] of Object.entries(pictures)) {
    const { status, json } = await upload(mallory, new File([new Uint8Array(bytes)], name));
    expect([status, json.error]).toEqual([422, expect.stringMatching(/5000 frames|65535/)]);
  }
});
