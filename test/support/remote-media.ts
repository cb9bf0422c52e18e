import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { insertRemoteMedia, type RemoteAttachment } from "../../src/core/remote-media/remote-attachments.ts";
import { setRemotePictures, type RemotePictures } from "../../src/core/remote-media/remote-pictures.ts";
import type { Json } from "./client.ts";
import { remoteAccount, remoteStatus } from "./rows.ts";
import type { TestServer } from "./server.ts";
import type { Site } from "./site.ts";

/* Media of other servers, as federation writes them. */

/** An attachment of which only the URL is known. */
export function remoteAttachment(url: string, given: Partial<RemoteAttachment> = {}): RemoteAttachment {
  return {
    type: "image",
    contentType: "image/png",
    url,
    previewUrl: null,
    description: null,
    width: null,
    height: null,
    focusX: 0,
    focusY: 0,
    blurhash: null,
    ...given,
  };
}

/** A post of another server with attachments. Returns its id. */
export function remotePost(
  server: TestServer,
  attachments: readonly RemoteAttachment[],
  account = remoteAccount(server, `dora${server.ctx.ids.next()}`, "far.example"),
): string {
  const id = remoteStatus(server, account, "look", { hasMedia: true });
  server.ctx.db.transaction((tx) => insertRemoteMedia(server.ctx, tx, Number(id), Number(account), attachments));
  return id;
}

/** Changes the pictures of a remote account; the others are removed. */
export function setPictures({ ctx }: TestServer, account: string, pictures: Partial<RemotePictures>): void {
  const none = { avatarUrl: null, avatarDescription: "", headerUrl: null, headerDescription: "" };
  ctx.db.transaction((tx) => setRemotePictures(tx, Number(account), { ...none, ...pictures }));
}

/** The first attachment of a post, as a stranger sees it. */
export async function firstMedia(server: TestServer, id: string): Promise<Json> {
  return (await server.stranger().get(`/api/v1/statuses/${id}`)).json.media_attachments[0];
}

/** Adds a file to a site. */
export function putBytes(site: Site, path: string, bytes: Uint8Array, type = "image/png", host?: string): string {
  return site.put(path, () => new Response(new Uint8Array(bytes), { headers: { "content-type": type } }), host);
}

/** The paths of the files in the cache, below the data folder. */
export function cachedFiles({ ctx }: TestServer): string[] {
  const folder = join(ctx.config.data, "cache");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A compiled server unpacks its image library there.
  return files.filter((path) => !path.startsWith(join(folder, "native")));
}
