import { Refusal } from "../../../errors.ts";
import { INVISIBLE } from "../../../lib/text/invisible.ts";
import { MAX_APP_NAME, OUT_OF_BAND, registerApp } from "../../../oauth/apps.ts";
import { tokensOf } from "../../../oauth/authorizations.ts";
import { isKnownScope, SCOPES } from "../../../oauth/scopes.ts";
import { issueToken, revokeToken } from "../../../oauth/tokens.ts";
import { ArgumentError } from "../../argument-error.ts";
import { command, option, optionalArgument, requiredOption, argument } from "../../command.ts";
import { day, iso, list, minute } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { endTime, idFrom, unsuitable } from "../../parsers.ts";
import { userNamed } from "../../users.ts";

export const commands = {
  "token create": command({
    summary: "Creates an access token for scripts, and prints it",
    args: { user: argument("the name of the user") },
    options: {
      scopes: requiredOption("SCOPES", "scopes of Mastodon's API, separated by spaces", scopesOf),
      name: option("TEXT", "a name for the list of tokens (default: Linnet)", appName),
      expires: option("TIME", "when it expires, such as 2026-12-24T18:00Z, or its last day (default: never)", endTime),
    },
    run: ({ user }, { scopes, name = "Linnet", expires }) => create(user, { scopes, name, expires }),
  }),
  "token list": list({
    summary: "Lists the access tokens of a user, or of all users",
    args: { user: optionalArgument("the name of the user") },
    find: ({ user }) => withData((ctx) => tokensOf(ctx.db, user === undefined ? null : userNamed(ctx, user).id)),
    empty: () => "There are no tokens.",
    columns: {
      ID: ({ token_id }) => token_id,
      USER: ({ username }) => username,
      NAME: ({ name }) => name,
      CREATED: ({ created_at }) => day(created_at),
      "LAST USED": ({ last_used_at }) => day(last_used_at),
      EXPIRES: ({ expires_at }) => minute(expires_at),
      SCOPES: ({ scopes }) => scopes.join(" "),
    },
    json: (token) => ({
      id: String(token.token_id),
      username: token.username,
      name: token.name,
      created_at: iso(token.created_at),
      last_used_at: iso(token.last_used_at),
      expires_at: iso(token.expires_at),
      scopes: token.scopes,
    }),
  }),
  "token revoke": command({
    summary: "Revokes a token",
    args: { id: argument("", idFrom("token list")) },
    confirm: ({ id }) => `Revoke token ${id}?`,
    run: ({ id }) => revoke(id),
  }),
};

interface TokenOptions {
  scopes: string;
  name: string;
  expires: number | undefined;
}

/** Registers an app for each token. */
async function create(username: string, { scopes, name, expires }: TokenOptions): Promise<void> {
  const secret = await withData((ctx) => {
    if (expires !== undefined && expires <= ctx.clock.now()) throw new ArgumentError("--expires is in the past.");
    const user = userNamed(ctx, username);
    return ctx.db.transaction((tx) => {
      const { app } = registerApp(ctx, tx, { name, website: null, redirectUris: [OUT_OF_BAND], scopes });
      return issueToken(ctx, tx, { appId: app.id, userId: user.id, scopes, expiresAt: expires }).secret;
    });
  });
  console.log(secret);
}

async function revoke(id: number): Promise<void> {
  await withData((ctx) =>
    ctx.db.transaction((tx) => {
      if (!tx.get("SELECT 1 FROM oauth_tokens WHERE id = +$id", { id })) {
        throw new Refusal("not_found", `There is no token ${id}. Run "linnet token list" for a list.`);
      }
      revokeToken(ctx, tx, id);
    }),
  );
  console.log(`Revoked token ${id}.`);
}

function appName(given: string, name: string): string {
  const shown = given.replace(INVISIBLE, "").trim();
  return shown !== "" && shown.length <= MAX_APP_NAME
    ? shown
    : unsuitable(name, given, `1 to ${MAX_APP_NAME} characters long`);
}

/** The scopes of an option, each once. */
function scopesOf(given: string, name: string): string {
  const named = given.split(/[\s+]+/).filter(Boolean);
  if (named.length === 0) throw new ArgumentError(`${name} is missing, as in --scopes "read write".`);
  const unknown = named.find((scope) => !isKnownScope(scope));
  if (unknown !== undefined)
    throw new ArgumentError(`"${unknown}" is not a scope. Known scopes: ${SCOPES.join(", ")}.`);
  return [...new Set(named)].join(" ");
}
