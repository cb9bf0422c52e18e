import { cleanName } from "../text/invisible.ts";
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

/** github.com, or a GitHub Enterprise Server. It has no ID tokens: the account comes from its API. */
export class GitHubProvider implements IdentityProvider {
  readonly client: ProviderClient;

  constructor(
    readonly settings: ProviderSettings,
    fetch: Fetch,
  ) {
    this.client = new ProviderClient(fetch);
  }

  authorizationUrl(attempt: Attempt): Promise<URL> {
    // Without a scope, it tells only what is public.
    return authorizationUrlAt(`${this.settings.issuer}/login/oauth/authorize`, this.settings, attempt, []);
  }

  async identify(callback: Callback, attempt: Attempt): Promise<Identity> {
    const { OAuth2Tokens } = await import("arctic");
    const { issuer } = this.settings;
    if (callback.issuer !== "" && !callback.issuer.startsWith(issuer)) {
      throw otherProvider();
    }
    const url = `${issuer}/login/oauth/access_token`;
    const answer = await this.client.ask(url, exchangeRequest(this.settings, callback, attempt, true));
    if (typeof answer["access_token"] !== "string") throw new ProviderError("GitHub refused the code");
    const token = new OAuth2Tokens(answer).accessToken();
    const user = await this.client.ask(this.userUrl, { headers: { authorization: `Bearer ${token}` } });
    const subject = checkedSubject(user["id"]);
    return { subject, label: typeof user["login"] === "string" ? cleanName(user["login"], MAX_LABEL) : subject };
  }

  private get userUrl(): string {
    const { issuer } = this.settings;
    return issuer === "https://github.com" ? "https://api.github.com/user" : `${issuer}/api/v3/user`;
  }
}
