import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import type { Server } from "bun";
import { decrypt } from "http_ece";
import type { Json } from "./client.ts";

/** What came for a device: what the push service sees of it, and what only the device can read. */
export interface Received {
  headers: Headers;
  /** The claims of the token by which the sender is known, after its signature was checked. */
  claims: Json;
  /** The public key that it was signed with. */
  signer: string;
  message: Json;
}

/** The device's side of a subscription: it alone can read what comes. */
export class Device {
  readonly received: Received[] = [];
  /** Settled when the first message has come. */
  readonly woken = Promise.withResolvers<void>();
  private readonly pair = createECDH("prime256v1");
  private readonly auth = randomBytes(16);

  constructor(readonly endpoint: string) {
    this.pair.generateKeys();
  }

  /** As a browser hands it out; `encoding` is how others write the keys. */
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

/** What the headers say of the sender and of the encryption, by the RFCs or by the drafts before them. */
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

/** A push service on the loopback interface, with a device behind each of its addresses. */
export class PushService {
  /** What it answers to one message each, in order; 201 when none is left. */
  readonly answers: (() => Response | Promise<Response>)[] = [];
  /** How many messages came, whatever was answered. */
  asked = 0;
  private readonly devices = new Map<string, Device>();
  private readonly server: Server<undefined>;

  /** `name` is where it is found: under any name, by a test server. */
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
