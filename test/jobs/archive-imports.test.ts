import { beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { importUploadedArchive } from "../../src/core/transfer/archive-imports.ts";
import { cancelImport, importsOf } from "../../src/core/transfer/imports.ts";
import { uploadedArchive } from "../../src/core/transfer/uploaded-archives.ts";
import { Postpone } from "../../src/db/queue.ts";
import { importUploaded } from "../../src/jobs/archive-imports.ts";
import { StoredFile } from "../../src/lib/files.ts";
import { archivedPost, mastodonArchive } from "../support/archives.ts";
import type { Client } from "../support/client.ts";
import { archivesForAllTests, serverForAllTests } from "../support/setup.ts";

const { server } = serverForAllTests();
const archives = archivesForAllTests();
let alice: Client;
let users = 0;

beforeEach(async () => {
  users += 1;
  alice = await server.person(`alice${users}`);
});

const CHOICES = { withProfile: false, forFollowers: false };
const posts = (n: number) => mastodonArchive(Array.from({ length: n }, (_, at) => archivedPost(at)));
const rows = () => importsOf(server.ctx.db, Number(alice.id));
const count = async () => (await alice.get("/api/v1/accounts/verify_credentials")).json.statuses_count;

/** Uploads an archive, as a form does. */
function upload(path: string): Promise<number> {
  const received = join(server.ctx.config.data, "received");
  copyFileSync(path, received);
  return importUploadedArchive(server.ctx, Number(alice.id), new StoredFile(received, "my archive.zip", ""), CHOICES);
}

describe("An uploaded archive", () => {
  test("is imported by a job, and removed", async () => {
    const id = await upload(await archives.zip(posts(60)));
    expect(rows()).toMatchObject([{ id, kind: "archive", state: "running", file_name: "my archive.zip", total: null }]);
    await server.drain();
    expect(rows()).toMatchObject([{ state: "finished", total: 60, done: 60, failed: 0, error: null }]);
    expect(await count()).toBe(60);
    expect(existsSync(uploadedArchive(server.ctx, id))).toBe(false);
  });

  test("that is damaged fails with the reason, changes nothing, and is removed", async () => {
    const id = await upload(archives.write("PK\x03\x04 and nothing else"));
    await server.drain();
    const error = "The archive is damaged or incomplete. Download it again.";
    expect(rows()).toMatchObject([{ id, state: "failed", error }]);
    expect(existsSync(uploadedArchive(server.ctx, id))).toBe(false);
    expect(await count()).toBe(0);
  });

  test("that is none, or the second at a time, is refused at once", async () => {
    await expect(upload(archives.write("Hello"))).rejects.toThrow("The file is not an archive of posts");
    await upload(await archives.zip(posts(1)));
    await expect(upload(await archives.zip(posts(1)))).rejects.toThrow("An import of this kind is running already.");
    expect(readdirSync(join(server.ctx.config.data, "imports", "uploads"))).toHaveLength(1);
    await server.drain();
    expect(rows()).toHaveLength(1);
  });

  test("is removed at once when its user cancels the import, and nothing of it is imported", async () => {
    const id = await upload(await archives.zip(posts(1)));
    await cancelImport(server.ctx, Number(alice.id), id);
    expect(existsSync(uploadedArchive(server.ctx, id))).toBe(false);
    await server.drain();
    expect(await count()).toBe(0);
    expect(rows()).toMatchObject([{ state: "cancelled", error: null }]);
  });

  test("is read no further once its user has cancelled the import", async () => {
    const id = await upload(await archives.tar({ "media/a.png": "x".repeat(300_000), ...posts(1) }));
    const running = importUploaded(server.ctx, id, CHOICES);
    await cancelImport(server.ctx, Number(alice.id), id);
    await running;
    expect(await count()).toBe(0);
    expect(rows()).toMatchObject([{ state: "cancelled", error: null, total: null }]);
    expect(readdirSync(join(server.ctx.config.data, "imports", "uploads"))).toEqual([]);
  });

  test("is refused after ten within an hour", async () => {
    const path = archives.write("Hello");
    for (let n = 0; n < 10; n += 1) await expect(upload(path)).rejects.toThrow("The file is not an archive");
    await expect(upload(path)).rejects.toThrow("You have uploaded too many archives within an hour.");
    server.clock.advance(3600_000);
    await expect(upload(path)).rejects.toThrow("The file is not an archive");
  });

  test("is imported after the next start if the server stops", async () => {
    const id = await upload(await archives.zip(posts(40)));
    server.ctx.stopping.abort();
    await expect(importUploaded(server.ctx, id, CHOICES)).rejects.toThrow(Postpone);
    expect(rows()).toMatchObject([{ state: "running" }]);
    expect(existsSync(uploadedArchive(server.ctx, id))).toBe(true);
    server.ctx.stopping = new AbortController();
    await server.drain();
    expect([rows()[0]!.state, await count()]).toEqual(["finished", 40]);
  });
});
