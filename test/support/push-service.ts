import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import type { Server } from "bun";
import { decrypt } from "http_ece";
import type { Json } from "./client.ts";

/** A push message: what the push service can read, and what only the device can read. */
export interface Received {
  headers: Headers;
  /** The claims of the sender's token, whose signature was verified. */
  claims: Json;
  /** The public key that verifies the signature. */
  signer: string;
  message: Json;
}

/** The device's side of a subscription, which alone can decrypt messages. */
export class Device {
  readonly received: Received[] = [];
  /** Resolves when the first message arrives. */
  readonly woken = Promise.withResolvers<void>();
  private readonly pair = createECDH("prime256v1");
  private readonly auth = randomBytes(16);

  constructor(readonly endpoint: string) {
    this.pair.generateKeys();
  }

  /** The subscription in a browser's format. `encoding` is for clients that encode keys differently. */
  subscription(encoding: BufferEncoding = "base64url") {
    const keys = { p256dh: this.pair.getPublicKey(encoding), auth: this.auth.toString(encoding) };
    return { endpoint: this.endpoint, keys };
  }

  get messages(): Json[] {
    return this.received.map(({ message }) => message);
  }

  take(headers: Headers, body: Buffer): void {
    const { version, jwt, signer, ...sealed } = read(headers);
    const opened = decrypt(body, { version, privateKey: this.pair, authSecret: this.auth, ...sealed });
    this.received.push({ headers, claims: claimsOf(jwt, signer), signer, message: JSON.parse(opened.toString()) });
    this.woken.resolve();
  }
}

/** The sender and the encryption in the headers, which follow the RFCs or earlier drafts. */
function read(headers: Headers): { version: string; jwt: string; signer: string; salt?: string; dh?: string } {
  const version = headers.get("content-encoding") ?? "";
  const authorization = headers.get("authorization") ?? "";
  if (version === "aes128gcm") {
    const [, jwt, signer] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization)!;
    return { version, jwt: jwt!, signer: signer! };
  }
  const [, jwt] = /^WebPush ([\w.-]+)$/.exec(authorization)!;
  const [, dh, signer] = /^dh=([\w-]+);p256ecdsa=([\w-]+)$/.exec(headers.get("crypto-key")!)!;
  const [, salt] = /^salt=([\w-]+)$/.exec(headers.get("encryption")!)!;
  return { version, jwt: jwt!, signer: signer!, salt, dh };
}

function claimsOf(jwt: string, signer: string): Json {
  const [header, claims, signature] = jwt.split(".") as [string, string, string];
  const point = Buffer.from(signer, "base64url");
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const signed = Buffer.from(`${header}.${claims}`);
  if (!verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))) {
    throw new Error("the sender's token is not signed with its key");
  }
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}

/** A push service on the loopback interface, with a device for each of its addresses. */
export class PushService {
  /** The responses to the next messages, in order. Afterwards, each response is 201. */
  readonly answers: (() => Response | Promise<Response>)[] = [];
  /** The number of messages that arrived, whatever the responses. */
  asked = 0;
  private readonly devices = new Map<string, Device>();
  private readonly server: Server<undefined>;

  /** `name` is the host name; test servers resolve any name to this machine. */
  constructor(private readonly name = "push.example") {
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.answer(request) });
  }

  get host(): string {
    return `${this.name}:${this.server.port}`;
  }

  device(): Device {
    const device = new Device(`http://${this.host}/wpush/${this.devices.size}`);
    this.devices.set(device.endpoint, device);
    return device;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    this.asked += 1;
    const body = Buffer.from(await request.bytes());
    const answer = await this.answers.shift()?.();
    if (answer) return answer;
    this.devices.get(request.url)!.take(request.headers, body);
    return new Response(null, { status: 201 });
  }
}
