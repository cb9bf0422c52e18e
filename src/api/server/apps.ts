import { vapidKeys } from "../../core/notifications/vapid.ts";
import type { Context } from "../../context.ts";
import { validationFailed } from "../../errors.ts";
import { list, object, optional, text } from "../../lib/http/input.ts";
import { INVISIBLE } from "../../lib/text/invisible.ts";
import { appById, MAX_APP_NAME, registerApp, type App } from "../../oauth/apps.ts";
import { redirectUriProblem, splitRedirectUris } from "../../oauth/redirects.ts";
import { parseScopes } from "../../oauth/scopes.ts";
import type { Router } from "../router.ts";

/** Mastodon's limit for all redirect URIs of an app together, in characters. */
const MAX_ADDRESSES = 2000;

const registration = object({
  client_name: text({ max: 1000 }),
  redirect_uris: list(text({ max: MAX_ADDRESSES }), { min: 1 }),
  scopes: optional(text({ max: 2000 })),
  website: optional(text({ max: 2000 })),
});

/** App registration. A registration never expires, because apps keep theirs indefinitely. */
export function appRoutes(routes: Router): void {
  routes.post("/api/v1/apps", { open: "always", input: registration, summary: "Register an app" }, ({ ctx, input }) => {
    const redirectUris = [...new Set(input.redirect_uris.flatMap(splitRedirectUris))];
    const scopes = parseScopes(input.scopes?.trim() || "read");
    const website = input.website?.trim() || null;
    // The name is shown on the consent page.
    const name = input.client_name.replace(INVISIBLE, "").trim();
    const problems = problemsOf(name, redirectUris, website);
    if (!scopes) problems.push("Scopes doesn't match configured on the server.");
    if (!scopes || problems.length > 0) throw validationFailed(...problems);
    const { app, secret } = ctx.db.transaction((tx) =>
      registerApp(ctx, tx, { name, website, redirectUris, scopes: scopes.join(" ") }),
    );
    return { ...showApp(ctx, app), client_id: app.client_id, client_secret: secret, client_secret_expires_at: 0 };
  });

  routes.get(
    "/api/v1/apps/verify_credentials",
    { app: true, summary: "Get the app that an access token belongs to" },
    ({ ctx, bearer }) => showApp(ctx, appById(ctx, bearer.appId)),
  );
}

function problemsOf(name: string, redirectUris: string[], website: string | null): string[] {
  const problems = new Set<string>();
  if (name === "") problems.add("Application name can't be blank");
  if (name.length > MAX_APP_NAME) problems.add(`Application name is too long (maximum is ${MAX_APP_NAME} characters)`);
  if (redirectUris.length === 0) problems.add("Redirect URI must be an absolute URI.");
  if (redirectUris.join("\n").length > MAX_ADDRESSES) {
    problems.add(`Redirect URI is too long (maximum is ${MAX_ADDRESSES} characters)`);
  }
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem) problems.add(problem);
  }
  if (website !== null && !(URL.canParse(website) && /^https?:\/\//i.test(website))) {
    problems.add("Website must be a valid URL");
  }
  return [...problems];
}

/** Mastodon's entity Application, as its owner sees it. */
function showApp(ctx: Context, app: App) {
  const redirectUris: string[] = JSON.parse(app.redirect_uris);
  return {
    id: String(app.id),
    name: app.name,
    website: app.website,
    scopes: app.scopes.split(" "),
    redirect_uri: redirectUris.join("\n"),
    redirect_uris: redirectUris,
    vapid_key: vapidKeys(ctx).publicKey,
  };
}
