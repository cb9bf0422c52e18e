import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import sharp from "sharp";
import { ZipFile } from "yazl";
import { textGenerator } from "../words.ts";

const ACTOR = "https://old.example/users/alice";
const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";
const MINUTE = 60_000;
/** Pictures that differ. Each is in the archive several times. */
const PICTURES = 20;

export interface ArchiveSize {
  posts: number;
  images: number;
}

/** Photos of a phone: as large as noise on a gradient makes them. */
export async function photos(): Promise<Buffer[]> {
  const [width, height] = [1600, 1200];
  const sigma = (n: number) => 6 + (n % 5);
  return Promise.all(
    Array.from({ length: PICTURES }, (_, n) =>
      sharp({
        create: { width, height, channels: 3, noise: { type: "gaussian", mean: 60 + n * 5, sigma: sigma(n) } },
      } as never)
        .blur(1.5)
        .jpeg({ quality: 85 })
        .toBuffer(),
    ),
  );
}

/** Writes an archive as Mastodon does. Every tenth post replies to the one before. */
export async function writeArchive(
  path: string,
  { posts, images }: ArchiveSize,
  pictures: readonly Buffer[],
): Promise<void> {
  const zip = new ZipFile();
  const audience = { to: [PUBLIC], cc: [`${ACTOR}/followers`] };
  zip.addBuffer(
    Buffer.from(JSON.stringify({ id: ACTOR, url: "https://old.example/@alice", followers: `${ACTOR}/followers` })),
    "actor.json",
  );
  zip.addReadStream(Readable.from(outbox(posts, images, audience)), "outbox.json");
  for (let n = 0; n < images; n += 1) zip.addBuffer(pictures[n % PICTURES]!, nameOf(n), { compress: false });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

function nameOf(n: number): string {
  return `media_attachments/files/${String(n).padStart(6, "0")}/original/photo.jpeg`;
}

function* outbox(posts: number, images: number, audience: object): Iterable<string> {
  const say = textGenerator();
  const begin = Date.now() - posts * MINUTE;
  const every = posts / images;
  let image = 0;
  yield '{"@context":"https://www.w3.org/ns/activitystreams","id":"outbox.json","type":"OrderedCollection","orderedItems":[';
  for (let n = 0; n < posts; n += 1) {
    const id = `${ACTOR}/statuses/${n}`;
    const published = new Date(begin + n * MINUTE).toISOString();
    const attachment = [];
    if (image < images && n >= image * every) {
      attachment.push({
        type: "Document",
        mediaType: "image/jpeg",
        url: `/${nameOf(image)}`,
        name: say(),
        focalPoint: [0, 0],
      });
      image += 1;
    }
    const tag = [{ type: "Hashtag", name: `#topic${n % 7}`, href: `https://old.example/tags/topic${n % 7}` }];
    const content = `<p>${say()} <a href="https://old.example/tags/topic${n % 7}" class="mention hashtag" rel="tag">#<span>topic${n % 7}</span></a></p>`;
    const inReplyTo = n % 10 === 9 ? `${ACTOR}/statuses/${n - 1}` : null;
    const object = {
      id,
      type: "Note",
      attributedTo: ACTOR,
      published,
      ...audience,
      inReplyTo,
      summary: null,
      sensitive: false,
      content,
      contentMap: { en: content },
      attachment,
      tag,
    };
    yield `${n === 0 ? "" : ","}${JSON.stringify({ id: `${id}/activity`, type: "Create", actor: ACTOR, published, ...audience, object })}`;
  }
  yield "]}";
}
