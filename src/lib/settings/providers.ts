import { UsageError } from "../../errors.ts";
import type { ProviderSettings } from "../openid/provider.ts";
import type { SettingName } from "./parsers.ts";

/** The settings of identity providers, each null if unset. */
export interface ProviderValues {
  oidcIssuer: string | null;
  oidcName: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  githubClientId: string | null;
  githubClientSecret: string | null;
  githubUrl: string;
  googleClientId: string | null;
  googleClientSecret: string | null;
}

/** The configured providers, and all other settings. */
export function providersOf<V extends ProviderValues>(
  values: V,
): [providers: ProviderSettings[], others: Omit<V, keyof ProviderValues>] {
  const {
    oidcIssuer,
    oidcName,
    oidcClientId,
    oidcClientSecret,
    githubClientId,
    githubClientSecret,
    githubUrl,
    googleClientId,
    googleClientSecret,
    ...others
  } = values;
  const openid = { LINNET_OIDC_ISSUER: oidcIssuer, ...client("OIDC", oidcClientId, oidcClientSecret) };
  const google = client("GOOGLE", googleClientId, googleClientSecret);
  const github = client("GITHUB", githubClientId, githubClientSecret);
  const providers: ProviderSettings[] = [];
  if (areSet(openid)) providers.push(openIdProvider(oidcIssuer!, oidcName, openid));
  else if (oidcName !== null) throw new UsageError("LINNET_OIDC_NAME needs LINNET_OIDC_ISSUER.");
  if (areSet(google)) providers.push({ id: "google", name: "Google", issuer: GOOGLE, ...credentials(google) });
  if (areSet(github)) providers.push({ id: "github", name: "GitHub", issuer: githubUrl, ...credentials(github) });
  return [providers, others];
}

const GOOGLE = "https://accounts.google.com";

type Values = Record<SettingName, string | null>;

function openIdProvider(issuer: string, name: string | null, values: Values): ProviderSettings {
  return { id: "openid", name: name ?? new URL(issuer).host, issuer, ...credentials(values) };
}

function client(provider: string, id: string | null, secret: string | null): Values {
  return { [`LINNET_${provider}_CLIENT_ID`]: id, [`LINNET_${provider}_CLIENT_SECRET`]: secret };
}

function credentials(values: Values): { clientId: string; clientSecret: string } {
  const [clientId, clientSecret] = Object.values(values).slice(-2);
  return { clientId: clientId!, clientSecret: clientSecret! };
}

/** @throws UsageError if only some of the settings are set */
function areSet(values: Values): boolean {
  const names = Object.keys(values) as SettingName[];
  const missing = names.filter((name) => values[name] === null);
  if (missing.length === 0) return true;
  if (missing.length === names.length) return false;
  const all = names.join(", ").replace(/, (?=[^,]*$)/, " and ");
  throw new UsageError(`${all} need each other, but ${missing[0]} is not set.`);
}
