import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";
import type { Server } from "bun";
import type { TestClock } from "./instance.ts";
import type { Json } from "./client.ts";

/** The provider's data about a user. */
interface Account {
  sub: string;
  email?: string;
}

interface Grant {
  account: Account;
  query: URLSearchParams;
}

/** How a provider deviates from what it should do. */
export interface Lies {
  /** Changes the claims of the ID token. */
  claims?(claims: JWTPayload): JWTPayload;
  /** Replaces the ID token. */
  idToken?(claims: JWTPayload, provider: IdentityProvider): string | Promise<string>;
  /** Replaces the response at a path; one that never ends, for null. */
  answers?: Record<string, (() => Response) | null>;
  /** Changes the metadata. */
  metadata?(issuer: string): object;
  /** Accepts codes again, and whatever the client says. */
  acceptsAnything?: boolean;
}

const CLIENT = { id: "linnet client", secret: "s3cret: %" };
const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });

/** A provider of OpenID Connect on the loopback interface, which also speaks like GitHub. Test servers reach it under any host name. */
export class IdentityProvider {
  lies: Lies = {};
  /** The user of a browser that comes to the provider. */
  signedIn: Account | null = null;
  /** The paths of all requests. */
  readonly asked: string[] = [];
  readonly privateKey: CryptoKey = privateKey;
  private readonly grants = new Map<string, Grant>();
  private readonly server: Server<undefined>;
  private keys: JWK[] = [];

  private constructor(readonly host: string) {
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.answer(request) });
  }

  static async start(host = "id.example"): Promise<IdentityProvider> {
    const provider = new IdentityProvider(host);
    provider.keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "RS256" }];
    return provider;
  }

  get issuer(): string {
    return `http://${this.host}:${this.server.port}`;
  }

  /** The settings of a server that knows it as a provider of OpenID Connect. */
  get settings() {
    return {
      LINNET_OIDC_ISSUER: this.issuer,
      LINNET_OIDC_NAME: "Example",
      LINNET_OIDC_CLIENT_ID: CLIENT.id,
      LINNET_OIDC_CLIENT_SECRET: CLIENT.secret,
    };
  }

  /** The settings of a server that knows it as GitHub. */
  get gitHubSettings() {
    return {
      LINNET_GITHUB_URL: this.issuer,
      LINNET_GITHUB_CLIENT_ID: CLIENT.id,
      LINNET_GITHUB_CLIENT_SECRET: CLIENT.secret,
    };
  }

  /** Signs a user in at the provider, and returns the path to which the browser is sent back. */
  approve(url: string, account: Account): string {
    const { pathname, searchParams: query, origin } = new URL(url);
    if (origin !== this.issuer || !pathname.endsWith("authorize"))
      throw new Error(`not the provider's address: ${url}`);
    if (query.get("response_type") !== "code" || query.get("code_challenge_method") !== "S256") {
      throw new Error(`not a request for a code with PKCE: ${url}`);
    }
    const code = crypto.randomUUID();
    this.grants.set(code, { account, query });
    const back = new URL(query.get("redirect_uri")!);
    return `${back.pathname}?${new URLSearchParams({ code, state: query.get("state")! })}`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.push(pathname);
    const lie = this.lies.answers?.[pathname];
    if (lie === null) return Promise.withResolvers<Response>().promise;
    if (lie) return lie();
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({ ...this.metadata(), ...this.lies.metadata?.(this.issuer) });
      case "/authorize":
        return this.signedIn
          ? Response.redirect(
              new URL(new URL(request.url).searchParams.get("redirect_uri")!).origin +
                this.approve(request.url, this.signedIn),
            )
          : new Response(null, { status: 403 });
      case "/keys":
        return Response.json({ keys: this.keys });
      case "/token":
        return this.token(request, async (grant, clock) => ({ id_token: await this.idToken(grant, clock) }));
      case "/login/oauth/access_token":
        return this.token(request, ({ account }) => ({ access_token: `token of ${account.sub}` }));
      case "/api/v3/user": {
        const sub = /^Bearer token of (\d+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
        return sub ? Response.json({ id: Number(sub), login: `user${sub}` }) : new Response(null, { status: 401 });
      }
      default:
        return new Response(null, { status: 404 });
    }
  }

  private metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
    };
  }

  /** The clock of the servers that use the provider. */
  clock: TestClock | null = null;

  private async token(request: Request, respond: (grant: Grant, now: number) => Json): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const grant = this.grants.get(form.get("code") ?? "");
    const refuse = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    if (!grant) return refuse();
    if (!this.lies.acceptsAnything) {
      this.grants.delete(form.get("code")!);
      const challenge = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      if (challenge !== grant.query.get("code_challenge")) return refuse();
      if (form.get("redirect_uri") !== grant.query.get("redirect_uri")) return refuse();
      if (!isClient(request, form)) return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    return Response.json(await respond(grant, Math.floor(this.clock!.now() / 1000)));
  }

  private async idToken({ account, query }: Grant, now: number): Promise<string> {
    const claims: JWTPayload = {
      iss: this.issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: query.get("nonce") ?? "",
      ...account,
    };
    const said = this.lies.claims ? this.lies.claims(claims) : claims;
    if (this.lies.idToken) return this.lies.idToken(said, this);
    return new SignJWT(said).setProtectedHeader({ alg: "RS256", kid: "1" }).sign(privateKey);
  }
}

/** RFC 6749, section 2.3.1: in the header or, for GitHub, in the body. */
function isClient(request: Request, form: URLSearchParams): boolean {
  const basic = /^Basic (.*)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!basic) return form.get("client_id") === CLIENT.id && form.get("client_secret") === CLIENT.secret;
  const [id, secret] = Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent);
  return id === CLIENT.id && secret === CLIENT.secret;
}
