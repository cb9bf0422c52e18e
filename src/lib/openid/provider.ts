import type { OutboundRequest, OutboundResponse } from "../http/outbound.ts";

/** An identity provider, as the owner has configured it. */
export interface ProviderSettings {
  /** Part of the addresses of its pages. */
  id: "openid" | "google" | "github";
  /** Shown to users. */
  name: string;
  /** The issuer of OpenID Connect, or the address of GitHub. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A user of a provider. Only the issuer and the subject identify them; the label is for people. */
export interface Identity {
  subject: string;
  label: string;
}

/** The values that one sign-in sends to a provider, and needs again afterwards. */
export interface Attempt {
  state: string;
  /** Of PKCE: only its hash is in the address. */
  verifier: string;
  /** Bound to the ID token by the provider. */
  nonce: string;
  redirectUri: string;
}

/** The parameters with which a provider sends the browser back. */
export interface Callback {
  code: string;
  /** RFC 9207; "" if the provider sent none. */
  issuer: string;
}

export interface IdentityProvider {
  readonly settings: ProviderSettings;
  /** The address to which the browser is sent. */
  authorizationUrl(attempt: Attempt): Promise<URL>;
  /** @throws ProviderError unless everything about the response is in order */
  identify(callback: Callback, attempt: Attempt): Promise<Identity>;
}

/** A provider did not respond, or its response is not in order. The message is for the log. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
}

export type Fetch = (url: string, request: OutboundRequest) => Promise<OutboundResponse>;

const MAX_BYTES = 256 * 1024;
/** Characters of a label. */
export const MAX_LABEL = 200;
/** OpenID Connect Core, section 2. */
const MAX_SUBJECT = 255;

/** The requests to a provider, within limits. */
export class ProviderClient {
  /** Milliseconds for each request. */
  timeout = 8000;

  constructor(private readonly fetch: Fetch) {}

  /** @throws ProviderError unless the response is a JSON object */
  async ask(
    url: string,
    request: Pick<OutboundRequest, "method" | "headers" | "body"> = {},
  ): Promise<Record<string, unknown>> {
    const response = await this.send(url, request);
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(response.body));
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {}
    throw new ProviderError(`${new URL(url).host} did not answer with a JSON object`);
  }

  private async send(url: string, request: Partial<OutboundRequest>): Promise<OutboundResponse> {
    try {
      return await this.fetch(url, {
        ...request,
        accept: ["application/json", "application/jwk-set+json", "application/vnd.github+json"],
        maxBytes: MAX_BYTES,
        timeout: this.timeout,
        redirects: 0,
      });
    } catch (error) {
      throw new ProviderError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

/** The address of a provider's page, with PKCE. */
export async function authorizationUrlAt(
  endpoint: string,
  { clientId }: ProviderSettings,
  { state, verifier, redirectUri }: Attempt,
  scopes: string[],
): Promise<URL> {
  const { OAuth2Client, CodeChallengeMethod } = await import("arctic");
  const client = new OAuth2Client(clientId, null, redirectUri);
  return client.createAuthorizationURLWithPKCE(endpoint, state, CodeChallengeMethod.S256, verifier, scopes);
}

export function otherProvider(): ProviderError {
  return new ProviderError("the response is from another provider");
}

/** The parameters of the request that exchanges a code for tokens, with the credentials of this server. */
export function exchangeRequest(
  settings: ProviderSettings,
  { code }: Callback,
  { verifier, redirectUri }: Attempt,
  inBody: boolean,
): Pick<OutboundRequest, "method" | "headers" | "body"> {
  const { clientId, clientSecret } = settings;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(inBody && { client_id: clientId, client_secret: clientSecret }),
  });
  // RFC 6749, section 2.3.1.
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  return {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(!inBody && { authorization: `Basic ${credentials.toString("base64")}` }),
    },
    body: body.toString(),
  };
}

/** @throws ProviderError for a subject that can't identify a user */
export function checkedSubject(subject: unknown): string {
  const text = typeof subject === "number" && Number.isSafeInteger(subject) ? String(subject) : subject;
  if (typeof text === "string" && text !== "" && text.length <= MAX_SUBJECT) return text;
  throw new ProviderError("the provider named no user");
}
