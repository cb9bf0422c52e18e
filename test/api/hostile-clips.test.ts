import { afterEach, beforeEach, expect } from "bun:test";
import { MediaProcesses } from "../../src/lib/media-processes.ts";
import { ENDLESS } from "../fixtures/hostile-clips.ts";
import type { Client } from "../support/client.ts";
import { mediaFiles } from "../support/media.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { upload } from "../support/uploads.ts";

const PATIENCE = 30_000;

let server: TestServer;
let mallory: Client;

beforeEach(async () => {
  server = await startServer();
  server.ctx.media = new MediaProcesses(2, { seconds: 2 });
  mallory = await server.person("mallory", { role: "user" });
});
afterEach(() => server.stop());

const fileOf = (bytes: Uint8Array) => new File([new Uint8Array(bytes)], "clip");

inProcess.each(Object.entries(ENDLESS))(
  "The server answers while it looks at %s, which is refused",
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
