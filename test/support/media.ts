import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Client, Json } from "./client.ts";
import type { TestServer } from "./server.ts";
import { upload } from "./uploads.ts";

/** The paths of all files below the media folder or one of its folders. */
export function mediaFiles(server: TestServer, below = ""): string[] {
  const folder = join(server.ctx.config.data, "media", below);
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Uploads a file, runs its processing job, and returns the attachment. */
export async function processed(
  server: TestServer,
  client: Client,
  file: Blob,
  fields: Record<string, string | Blob> = {},
): Promise<Json> {
  const answer = await upload(client, file, fields);
  if (answer.status !== 202) throw new Error(`uploading failed: ${answer.status} ${JSON.stringify(answer.json)}`);
  const after = await finished(server, client, answer.json.id);
  if (after.status !== 200) throw new Error(`processing failed: ${after.status} ${JSON.stringify(after.json)}`);
  return after.json;
}

export async function finished(server: TestServer, client: Client, id: string): Promise<Answer> {
  await server.drain();
  return client.get(`/api/v1/media/${id}`);
}

export async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
  return answer.bytes();
}
