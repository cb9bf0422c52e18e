import type { Context } from "../context.ts";
import { hashSecret, sameSecret } from "../lib/secrets.ts";
import type { Params } from "../lib/http/params.ts";
import { findApp, type App } from "./apps.ts";
import { OAuthRefusal } from "./refusals.ts";

interface Credentials {
  id: string;
  secret: string;
}

const MAX_LENGTH = 4096;

/** A parameter as text; null when absent. Empty is absent too (RFC 6749, section 3.1). */
export function oauthParam(params: Params, name: string): string | null {
  const value = params[name];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "object") throw new OAuthRefusal("invalid_request", `The parameter ${name} must be a string.`);
  const text = String(value);
  if (text.length > MAX_LENGTH) throw new OAuthRefusal("invalid_request", `The parameter ${name} is too long.`);
  return text;
}

/** The app that sent the request, by its id and secret in the Authorization header, the parameters, or both. */
export function authenticateClient(ctx: Context, authorization: string | null, params: Params): App {
  const basic = basicCredentials(authorization);
  const [id, secret] = [oauthParam(params, "client_id"), oauthParam(params, "client_secret")];
  const app = findApp(ctx, basic?.id ?? id ?? "");
  const agrees = basic === null || ((id === null || id === basic.id) && (secret === null || secret === basic.secret));
  const shown = hashSecret(basic?.secret ?? secret ?? "");
  if (!app || !agrees || !sameSecret(shown, app.client_secret_hash)) {
    throw new OAuthRefusal(
      "invalid_client",
      "Client authentication failed: client_id and client_secret are unknown, missing or don't belong together.",
      // Only for an app that used the header (RFC 6749, section 5.2); otherwise a browser would show a dialogue.
      basic ? { "www-authenticate": 'Basic realm="OAuth"' } : {},
    );
  }
  return app;
}

/** The id and secret of a Basic header, each form-encoded (RFC 6749, section 2.3.1); null for any other header. */
function basicCredentials(header: string | null): Credentials | null {
  const match = /^Basic +([A-Za-z0-9+/=_-]{1,8192})\s*$/i.exec(header ?? "");
  if (!match) return null;
  const text = Buffer.from(match[1]!, "base64").toString();
  const colon = text.indexOf(":");
  if (colon === -1) return { id: text, secret: "" };
  return { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
