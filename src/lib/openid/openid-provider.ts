import { cleanName } from "../text/invisible.ts";
import { verifyIdToken, type Claims } from "./id-token.ts";
import {
  authorizationUrlAt,
  checkedSubject,
  exchangeRequest,
  MAX_LABEL,
  otherProvider,
  ProviderClient,
  ProviderError,
  type Attempt,
  type Callback,
  type Fetch,
  type Identity,
  type IdentityProvider,
  type ProviderSettings,
} from "./provider.ts";

/** The part of a provider's metadata that signing in needs (OpenID Connect Discovery, section 3). */
interface Metadata {
  authorization: string;
  token: string;
  keys: string;
  /** Whether it wants the credentials of this server in the body of a request. */
  credentialsInBody: boolean;
  /** Whether it names itself in each response (RFC 9207). */
  namesIssuer: boolean;
}

/** How long metadata and keys are cached, in milliseconds. */
const CACHED_FOR = 3600_000;
/** The minimum time between two requests for the keys, in milliseconds. */
const KEYS_EVERY = 60_000;
const SCOPES = ["openid", "email"];

/** A provider of OpenID Connect, found by its issuer. */
export class OpenIdProvider implements IdentityProvider {
  readonly client: ProviderClient;
  private metadata: { at: number; value: Metadata } | null = null;
  private keys: { at: number; value: object } | null = null;

  constructor(
    readonly settings: ProviderSettings,
    fetch: Fetch,
    private readonly clock: { now(): number },
  ) {
    this.client = new ProviderClient(fetch);
  }

  async authorizationUrl(attempt: Attempt): Promise<URL> {
    const { authorization } = await this.discover();
    const url = await authorizationUrlAt(authorization, this.settings, attempt, SCOPES);
    url.searchParams.set("nonce", attempt.nonce);
    return url;
  }

  async identify(callback: Callback, attempt: Attempt): Promise<Identity> {
    const { OAuth2Tokens } = await import("arctic");
    const { token, credentialsInBody, namesIssuer } = await this.discover();
    const { issuer, clientId } = this.settings;
    if (callback.issuer === "" ? namesIssuer : callback.issuer !== issuer) {
      throw otherProvider();
    }
    const request = exchangeRequest(this.settings, callback, attempt, credentialsInBody);
    const answer = await this.client.ask(token, request);
    if (typeof answer["id_token"] !== "string") throw new ProviderError("the response has no ID token");
    const claims = await verifyIdToken(new OAuth2Tokens(answer).idToken(), {
      issuer,
      clientId,
      nonce: attempt.nonce,
      now: this.clock.now(),
      keys: (isFresh) => this.currentKeys(isFresh),
    });
    return { subject: checkedSubject(claims.sub), label: labelOf(claims) };
  }

  /** Asks again if the token has a key that was not known, at most once a minute. */
  private async currentKeys(isFresh: boolean): Promise<object> {
    const now = this.clock.now();
    const age = this.keys ? now - this.keys.at : Infinity;
    if (this.keys && age < (isFresh ? KEYS_EVERY : CACHED_FOR)) return this.keys.value;
    const { keys } = await this.discover();
    const value = await this.client.ask(keys);
    this.keys = { at: now, value };
    return value;
  }

  private async discover(): Promise<Metadata> {
    const now = this.clock.now();
    if (this.metadata && now - this.metadata.at < CACHED_FOR) return this.metadata.value;
    const { issuer } = this.settings;
    const document = await this.client.ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    if (document["issuer"] !== issuer) throw new ProviderError(`${issuer} says that it is another issuer`);
    const methods = document["token_endpoint_auth_methods_supported"];
    const value: Metadata = {
      authorization: this.endpoint(document, "authorization_endpoint"),
      token: this.endpoint(document, "token_endpoint"),
      keys: this.endpoint(document, "jwks_uri"),
      credentialsInBody: Array.isArray(methods) && !methods.includes("client_secret_basic"),
      namesIssuer: document["authorization_response_iss_parameter_supported"] === true,
    };
    this.metadata = { at: now, value };
    return value;
  }

  /** An address in the metadata, which must be encrypted if the issuer's is. */
  private endpoint(document: Record<string, unknown>, name: string): string {
    const text = document[name];
    const url = typeof text === "string" && text.length <= 2000 && URL.canParse(text) ? new URL(text) : null;
    const isSafe = url?.protocol === "https:" || url?.protocol === new URL(this.settings.issuer).protocol;
    if (url && isSafe && !url.username && !url.password && !url.hash) return url.href;
    throw new ProviderError(`${this.settings.issuer} has no usable ${name}`);
  }
}

/** For the user, who may have several accounts there. Never used to find an account. */
function labelOf({ email, preferred_username, sub }: Claims): string {
  const label = [email, preferred_username, sub].find((claim) => typeof claim === "string" && claim !== "");
  return cleanName(String(label), MAX_LABEL);
}
