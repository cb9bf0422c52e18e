import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { hashSecret, newSecret } from "../lib/secrets.ts";
import { covers, parseScopes, type Scope } from "./scopes.ts";

export interface App {
  id: number;
  client_id: string;
  client_secret_hash: string;
  name: string;
  website: string | null;
  /** JSON array of the redirect URIs, exactly as registered. */
  redirect_uris: string;
  scopes: string;
  created_at: number;
}

/** Mastodon's limit for the name of an app, in UTF-16 units. */
export const MAX_APP_NAME = 60;

/** Shows the code on a page of this server instead of sending it to the app. */
export const OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob";

export function registerApp(
  ctx: Context,
  tx: Tx,
  app: { name: string; website: string | null; redirectUris: string[]; scopes: string },
): { app: App; secret: string } {
  const secret = newSecret();
  const clientId = newSecret();
  const { lastInsertRowid: id } = tx.run(
    `INSERT INTO oauth_apps (client_id, client_secret_hash, name, website, redirect_uris, scopes, created_at)
     VALUES ($clientId, $clientSecretHash, $name, $website, $redirectUris, $scopes, $now)`,
    {
      clientId,
      clientSecretHash: hashSecret(secret),
      name: app.name,
      website: app.website,
      redirectUris: JSON.stringify(app.redirectUris),
      scopes: app.scopes,
      now: ctx.clock.now(),
    },
  );
  return { app: appById(ctx, id), secret };
}

export function findApp(ctx: Context, clientId: string): App | null {
  return ctx.db.get<App>("SELECT * FROM oauth_apps WHERE client_id = +$clientId", { clientId });
}

export function appById(ctx: Context, id: number): App {
  return ctx.db.get<App>("SELECT * FROM oauth_apps WHERE id = +$id", { id })!;
}

/** The scopes that an app requests, "read" by default; null unless it registered for all of them. */
export function scopesFor(app: App, asked: string | null): Scope[] | null {
  const scopes = parseScopes(asked ?? "read");
  const registered = app.scopes.split(" ");
  return scopes?.every((scope) => covers(registered, scope)) ? scopes : null;
}
