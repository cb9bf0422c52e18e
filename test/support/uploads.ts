import { picture } from "../fixtures/pictures.ts";
import type { Answer, Client, Json } from "./client.ts";

export type Format = "png" | "jpeg" | "gif" | "webp" | "avif";

export function pictureFile(
  format: Format = "png",
  { width = 40, height = 30, shade = 0, name = `picture.${format}`, type = `image/${format}` } = {},
): Promise<File> {
  return picture(width, height, { shade })
    .toFormat(format)
    .toBuffer()
    .then((bytes) => new File([new Uint8Array(bytes)], name, { type }));
}

export function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

export function upload(
  client: Client,
  file: Blob,
  fields: Record<string, string | Blob> = {},
  path = "/api/v2/media",
): Promise<Answer> {
  return client.post(path, formOf({ file, ...fields }));
}

/** Uploads an image that can be attached at once. */
export async function uploaded(client: Client, fields: Record<string, string> = {}, shade = 0): Promise<Json> {
  const answer = await upload(client, await pictureFile("png", { shade }), fields);
  if (answer.status !== 200) throw new Error(`uploading failed: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
}
