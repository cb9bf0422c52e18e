import { sign } from "node:crypto";
import { afterEach, beforeEach } from "bun:test";
import { Signer, type SignatureForm, type SigningKey } from "../../src/lib/signatures.ts";
import KEYS from "../fixtures/keys.json" with { type: "json" };
import type { Neighbour } from "./federation.ts";
import type { Json } from "./client.ts";
import type { TestServer } from "./server.ts";

export const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";
export const ACTIVITY = "application/activity+json";

/** A request that the peer received. */
export interface Asked {
  method: string;
  /** With the name that was asked, not the address of this machine. */
  url: string;
  headers: Headers;
  body: string;
}

type Served = object | ((request: Request) => Response | Promise<Response>);

/** A request to a server, which tests may change after it was signed. */
export interface SignedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Signing {
  method?: "GET" | "POST";
  path?: string;
  form?: SignatureForm;
  key?: SigningKey;
  /** The time of the signature; by default that of the server. */
  at?: number;
  /** The text to send instead of the activity. */
  body?: string;
  /** Further headers to sign. */
  headers?: Record<string, string>;
}

const signer = new Signer();
let keysTaken = 0;

/** Another server, or several, on one port of this machine, that says whatever a test wants. */
export class HostilePeer {
  /** All requests, in order, other than those for WebFinger. */
  readonly asked: Asked[] = [];
  private readonly served = new Map<string, Served>();
  private readonly server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.answer(request),
  });

  origin(host = "evil.test"): string {
    return `http://${host}:${this.server.port}`;
  }

  /** Serves a document, or whatever a function returns, at a URL. A function also answers deliveries. */
  serve(url: string, served: Served): void {
    this.served.set(url, served);
  }

  /** Lets a host assign a handle to an account. */
  assign(handle: string, uri: string, subject = `acct:${handle}`): void {
    const [, domain = ""] = handle.split("@");
    const resource = encodeURIComponent(`acct:${handle}`);
    const links = [{ rel: "self", type: ACTIVITY, href: uri }];
    this.serve(`http://${domain}/.well-known/webfinger?resource=${resource}`, () =>
      Response.json({ subject, links }, { headers: { "content-type": "application/jrd+json" } }),
    );
  }

  /** Adds an account that another server can find. `more` are properties of its document. */
  account(name: string, host = "evil.test", more: Json = {}): HostileAccount {
    const account = new HostileAccount(this, name, host, more);
    this.serve(account.uri, () => documentResponse(account.document));
    this.assign(`${name}@${account.domain}`, account.uri);
    return account;
  }

  /** The URLs that were fetched from a host. */
  fetched(host = "evil.test"): string[] {
    return this.asked
      .filter(({ method, url }) => method === "GET" && new URL(url).hostname === host)
      .map(({ url }) => url);
  }

  /** The activities that were delivered to the peer, oldest first. */
  get delivered(): Json[] {
    return this.asked.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const url = `http://${request.headers.get("host")}${pathname}${search}`;
    const served = this.served.get(url);
    if (pathname !== "/.well-known/webfinger") {
      const body = request.method === "POST" ? await request.text() : "";
      this.asked.push({ method: request.method, url, headers: request.headers, body });
    }
    if (typeof served === "function") return served(request);
    if (request.method === "POST") return new Response(null, { status: 202 });
    return served ? documentResponse(served) : new Response(null, { status: 404 });
  }
}

export function documentResponse(document: object, type = ACTIVITY): Response {
  return new Response(JSON.stringify(document), { headers: { "content-type": type } });
}

/** An account of a hostile peer, which signs whatever it is asked to. */
export class HostileAccount {
  readonly origin: string;
  readonly domain: string;
  readonly uri: string;
  /** As served: tests may change it. */
  document: Json;
  key: SigningKey;
  private count = 0;

  constructor(
    readonly peer: HostilePeer,
    readonly name: string,
    host: string,
    more: Json,
  ) {
    this.origin = peer.origin(host);
    this.domain = new URL(this.origin).host;
    this.uri = `${this.origin}/users/${name}`;
    const { publicKey, privateKey } = KEYS[keysTaken++ % KEYS.length]!;
    this.key = { keyId: `${this.uri}#main-key`, privateKey };
    this.document = {
      id: this.uri,
      type: "Person",
      preferredUsername: name,
      inbox: `${this.uri}/inbox`,
      followers: `${this.uri}/followers`,
      publicKey: { id: this.key.keyId, owner: this.uri, publicKeyPem: publicKey },
      ...more,
    };
  }

  get handle(): string {
    return `${this.name}@${this.domain}`;
  }

  newUri(kind = "activities"): string {
    this.count += 1;
    return `${this.uri}/${kind}/${this.count}`;
  }

  /** Uses another key from now on. */
  changeKey(): void {
    const { publicKey, privateKey } = KEYS[keysTaken++ % KEYS.length]!;
    this.key = { ...this.key, privateKey };
    this.document.publicKey = { ...this.document.publicKey, publicKeyPem: publicKey };
  }

  /** A public post, unless `more` says otherwise. */
  note(more: Json = {}): Json {
    return {
      id: this.newUri("notes"),
      type: "Note",
      attributedTo: this.uri,
      content: "<p>Hello</p>",
      to: [PUBLIC],
      cc: [this.document.followers],
      ...more,
    };
  }

  activity(type: string, object: unknown, more: Json = {}): Json {
    return { id: this.newUri(), type, actor: this.uri, object, ...more };
  }

  create(object: Json): Json {
    return this.activity("Create", object, { to: object.to, cc: object.cc });
  }

  async sign({ ctx }: TestServer, activity: Json, signing: Signing = {}): Promise<SignedRequest> {
    const { method = "POST", path = "/inbox", form = "cavage", key = this.key, at = ctx.clock.now() } = signing;
    const body = method === "GET" ? undefined : (signing.body ?? JSON.stringify(activity));
    const headers = { "content-type": ACTIVITY, ...signing.headers };
    const request = { method, url: `${ctx.config.origin}${path}`, headers, body };
    return { method, path, headers: { ...headers, ...(await signer.sign(request, key, form, at)) }, body };
  }

  /** Signs the listed parts of a POST, by draft-cavage and without our code. */
  signParts({ ctx }: TestServer, activity: Json, names: string[], path = "/inbox"): SignedRequest {
    const body = JSON.stringify(activity);
    const headers: Record<string, string> = {
      host: new URL(ctx.config.origin).host,
      date: new Date(ctx.clock.now()).toUTCString(),
      digest: `SHA-256=${new Bun.CryptoHasher("sha256").update(body).digest("base64")}`,
      "content-type": ACTIVITY,
    };
    const values = { ...headers, "(request-target)": `post ${path}` };
    const text = names.map((name) => `${name}: ${values[name as keyof typeof values]}`).join("\n");
    const signature = sign("sha256", Buffer.from(text), this.key.privateKey).toString("base64");
    headers.signature = `keyId="${this.key.keyId}",algorithm="rsa-sha256",headers="${names.join(" ")}",signature="${signature}"`;
    return { method: "POST", path, headers, body };
  }

  /** Signs and sends an activity. Returns the status of the response. */
  async send(server: TestServer, activity: Json, signing: Signing = {}): Promise<number> {
    return (await sendRequest(server, await this.sign(server, activity, signing))).status;
  }

  /** Signs and sends an activity, which has to be accepted, and lets the server process it. */
  async deliver(server: TestServer, activity: Json): Promise<void> {
    const status = await this.send(server, activity);
    if (status !== 202) throw new Error(`The ${activity.type} was answered with ${status}`);
    await server.drain();
  }

  /** Fetches a document with a signature, or without one. */
  fetch(server: TestServer, path: string, signing: Signing | null = {}): Promise<Response> {
    const accept = { accept: ACTIVITY };
    if (signing === null) return fetch(server.origin + path, { headers: accept });
    return this.sign(server, {}, { method: "GET", path, ...signing }).then(({ headers }) =>
      fetch(server.origin + path, { headers: { ...headers, ...accept } }),
    );
  }
}

export function sendRequest(server: TestServer, { method, path, headers, body }: SignedRequest): Promise<Response> {
  return fetch(server.origin + path, { method, headers, body });
}

/** A hostile peer for each test. */
export function hostilePeerForEachTest(): HostilePeer {
  const peer: HostilePeer = Object.create(HostilePeer.prototype);
  beforeEach(() => void Object.assign(peer, new HostilePeer()));
  afterEach(() => peer.stop());
  return peer;
}

/** The account learns of a user's server by following the user; the user follows it, too. Returns its id there. */
export async function befriend(user: Neighbour, account: HostileAccount): Promise<string> {
  const { server } = user;
  await account.deliver(server, account.activity("Follow", user.uri));
  const id = accountId(server, account.uri)!;
  await user.follow({ id });
  await server.drain();
  const follow = account.peer.delivered.find(({ type, object }) => type === "Follow" && object === account.uri);
  await account.deliver(server, account.activity("Accept", follow.id));
  return id;
}

export function accountId({ ctx }: TestServer, uri: string): string | null {
  const row = ctx.db.get<{ id: number }>("SELECT id FROM accounts WHERE uri = $uri", { uri });
  return row && String(row.id);
}

export function statusId({ ctx }: TestServer, uri: string): string | null {
  const row = ctx.db.get<{ id: number }>("SELECT id FROM statuses WHERE uri = $uri", { uri });
  return row && String(row.id);
}

export function count({ ctx }: TestServer, table: string): number {
  return ctx.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
}
