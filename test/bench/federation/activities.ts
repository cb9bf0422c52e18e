import { sign } from "node:crypto";
import { promisify } from "node:util";
import { ORIGIN } from "../data-folder.ts";
import { textGenerator } from "../words.ts";
import type { Sender } from "./accounts.ts";

/* Activities as Mastodon sends them, and the signed requests that deliver them. */

export const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";
const TAGS = 50;
const LINKS = 60;
const TYPE = "application/activity+json";

/** As long as that of Mastodon. */
export const CONTEXT = [
  "https://www.w3.org/ns/activitystreams",
  {
    ostatus: "http://ostatus.org#",
    atomUri: "ostatus:atomUri",
    inReplyToAtomUri: "ostatus:inReplyToAtomUri",
    conversation: "ostatus:conversation",
    sensitive: "as:sensitive",
    toot: "http://joinmastodon.org/ns#",
    votersCount: "toot:votersCount",
    Hashtag: "as:Hashtag",
    Emoji: "toot:Emoji",
    blurhash: "toot:blurhash",
    focalPoint: { "@container": "@list", "@id": "toot:focalPoint" },
  },
];

/**
 * Writes posts of the senders in turns, each different: of 60, 20 have a hashtag, 12 a picture, 6 continue the sender's
 * last one, 6 have a link, 3 mention the viewer and 3 have an emoji.
 */
export class Posts {
  private count = 0;
  private readonly say = textGenerator();
  private readonly latest = new Map<Sender, string>();

  constructor(
    private readonly senders: readonly Sender[],
    /** A port of the other servers, which has the pages behind the links. */
    private readonly port: number,
  ) {}

  /** Signed requests with the next posts. They are from the present, one ms after the other. */
  async requests(count: number): Promise<string[]> {
    const begin = Date.now() - count;
    const work = Array.from({ length: count }, (_, n) => {
      const sender = this.senders[this.count % this.senders.length]!;
      return signed(sender, JSON.stringify(this.create(sender, begin + n)));
    });
    return Promise.all(work);
  }

  private create(sender: Sender, at: number) {
    const n = this.count++;
    const id = `${sender.uri}/statuses/116${String(n).padStart(15, "0")}`;
    const published = new Date(at).toISOString();
    const mentions = n % 20 === 7 ? [`${ORIGIN}/users/viewer`] : [];
    const audience = { to: [PUBLIC], cc: [`${sender.uri}/followers`, ...mentions] };
    const inReplyTo = n % 10 === 9 ? (this.latest.get(sender) ?? null) : null;
    this.latest.set(sender, id);
    const object = { ...this.note(sender, n, id), published, ...audience, inReplyTo, inReplyToAtomUri: inReplyTo };
    return {
      "@context": CONTEXT,
      id: `${id}/activity`,
      type: "Create",
      actor: sender.uri,
      published,
      ...audience,
      object,
      signature: {
        type: "RsaSignature2017",
        creator: sender.keyId,
        created: published,
        signatureValue: "x".repeat(344),
      },
    };
  }

  private note(sender: Sender, n: number, id: string) {
    const { host, username } = sender;
    const content = `<p>${[this.say(), ...this.extras(sender, n)].join(" ")}</p>`;
    return {
      id,
      type: "Note",
      summary: null,
      url: `https://${host}/@${username}/${id.split("/").at(-1)}`,
      attributedTo: sender.uri,
      sensitive: false,
      atomUri: id,
      conversation: `tag:${host},2026-11-22:objectId=${n}:objectType=Conversation`,
      content,
      contentMap: { en: content },
      attachment: n % 5 === 1 ? [picture(host, n)] : [],
      tag: tags(sender, n),
      replies: collection(`${id}/replies`, { type: "CollectionPage", partOf: `${id}/replies`, items: [] }),
      likes: { ...collection(`${id}/likes`), totalItems: 0 },
      shares: { ...collection(`${id}/shares`), totalItems: 0 },
    };
  }

  /** HTML after the text. */
  private extras({ host }: Sender, n: number): string[] {
    const link = `http://127.0.0.1:${this.port}/story/${n % LINKS}`;
    return [
      n % 20 === 7 &&
        `<span class="h-card"><a href="${ORIGIN}/@viewer" class="u-url mention">@<span>viewer</span></a></span>`,
      n % 3 === 0 &&
        `<a href="https://${host}/tags/topic${n % TAGS}" class="mention hashtag" rel="tag">#<span>topic${n % TAGS}</span></a>`,
      n % 10 === 4 &&
        `<a href="${link}" target="_blank" rel="nofollow noopener"><span class="invisible">http://</span><span>${link.slice(7)}</span></a>`,
      n % 20 === 12 && ":loom:",
    ].filter((part) => part !== false);
  }
}

function tags({ host }: Sender, n: number): object[] {
  const icon = { type: "Image", mediaType: "image/png", url: `https://files.${host}/emojis/loom.png` };
  return [
    n % 20 === 7 && { type: "Mention", href: `${ORIGIN}/users/viewer`, name: "@viewer@localhost:3000" },
    n % 3 === 0 && { type: "Hashtag", href: `https://${host}/tags/topic${n % TAGS}`, name: `#topic${n % TAGS}` },
    n % 20 === 12 && {
      id: `https://${host}/emojis/1`,
      type: "Emoji",
      name: ":loom:",
      updated: "2025-01-02T03:04:05Z",
      icon,
    },
  ].filter((tag) => tag !== false);
}

function picture(host: string, n: number): object {
  return {
    type: "Document",
    mediaType: "image/jpeg",
    url: `https://files.${host}/media_attachments/files/116/${n}/original/boats.jpg`,
    name: "Three boats in the harbour at dawn",
    blurhash: "UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH",
    focalPoint: [0, 0.25],
    width: 1600,
    height: 1200,
  };
}

function collection(id: string, first?: object) {
  return { id, type: "Collection", ...(first && { first }) };
}

/** Mastodon's messages about deleted accounts that are unknown here, each from an address of the other servers. */
export function deletions(count: number, { key }: Sender, port: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => deletion(`http://127.0.0.1:${port}/users/gone${n}`, key)));
}

function deletion(uri: string, key: Sender["key"]): Promise<string> {
  const keyId = `${uri}#main-key`;
  const activity = {
    "@context": "https://www.w3.org/ns/activitystreams",
    id: `${uri}#delete`,
    type: "Delete",
    actor: uri,
    to: [PUBLIC],
    object: uri,
    signature: {
      type: "RsaSignature2017",
      creator: keyId,
      created: "2026-11-22T10:00:00Z",
      signatureValue: "x".repeat(344),
    },
  };
  return signed({ keyId, key }, JSON.stringify(activity));
}

const signAsync = promisify(sign);

/** A raw POST to the shared inbox, signed like Mastodon's. */
export async function signed({ keyId, key }: Pick<Sender, "keyId" | "key">, body: string): Promise<string> {
  const digest = `SHA-256=${new Bun.CryptoHasher("sha256").update(body).digest("base64")}`;
  const covered = [
    ["host", new URL(ORIGIN).host],
    ["date", new Date().toUTCString()],
    ["digest", digest],
    ["content-type", TYPE],
  ];
  const lines = ["(request-target): post /inbox", ...covered.map(([name, value]) => `${name}: ${value}`)];
  const bytes = await signAsync("sha256", Buffer.from(lines.join("\n")), key);
  const names = ["(request-target)", ...covered.map(([name]) => name)].join(" ");
  const signature = `keyId="${keyId}",algorithm="rsa-sha256",headers="${names}",signature="${bytes.toString("base64")}"`;
  const headers = [
    "POST /inbox HTTP/1.1",
    "User-Agent: Mastodon/4.6.0 (http.rb/5.3.1; +https://mastodon.example/)",
    "Accept-Encoding: gzip",
    ...covered.map(([name, value]) => `${name}: ${value}`),
    `Signature: ${signature}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}
