import { Refusal } from "../errors.ts";
import { OUT_OF_BAND, registerApp } from "../oauth/apps.ts";
import { tokensOf } from "../oauth/authorizations.ts";
import { isKnownScope, SCOPES } from "../oauth/scopes.ts";
import { issueToken, revokeToken } from "../oauth/tokens.ts";
import { ArgumentError } from "./argument-error.ts";
import { command, requiredOption, word } from "./command.ts";
import { day, iso, list } from "./list.ts";
import { withData } from "./open.ts";
import { idFrom } from "./parsers.ts";
import { userNamed } from "./users.ts";

export const commands = {
  "token create": command({
    summary: "Creates an access token of a user, for scripts, and prints it",
    words: { name: word() },
    options: {
      scopes: requiredOption("SCOPES", "what the token allows, as in Mastodon's API, separated by spaces", scopesOf),
    },
    run: ({ name }, { scopes }) => create(name, scopes),
  }),
  "token list": list({
    summary: "Lists a user's access tokens",
    words: { name: word() },
    find: ({ name }) => withData((ctx) => tokensOf(ctx.db, userNamed(ctx, name).id)),
    empty: () => "There are no tokens.",
    columns: {
      ID: ({ token_id }) => token_id,
      APP: ({ name }) => name,
      CREATED: ({ created_at }) => day(created_at),
      "LAST USED": ({ last_used_at }) => day(last_used_at),
      SCOPES: ({ scopes }) => scopes.join(" "),
    },
    json: (token) => ({
      id: String(token.token_id),
      app: token.name,
      created_at: iso(token.created_at),
      last_used_at: iso(token.last_used_at),
      scopes: token.scopes,
    }),
  }),
  "token revoke": command({
    summary: "Revokes a token",
    words: { id: word("", idFrom("token list")) },
    confirm: ({ id }) => `Revoke token ${id}?`,
    run: ({ id }) => revoke(id),
  }),
};

/** Each token belongs to an app that is registered for it. */
async function create(name: string, scopes: string): Promise<void> {
  const secret = await withData((ctx) => {
    const user = userNamed(ctx, name);
    return ctx.db.transaction((tx) => {
      const { app } = registerApp(ctx, tx, { name: "Linnet", website: null, redirectUris: [OUT_OF_BAND], scopes });
      return issueToken(ctx, tx, { appId: app.id, userId: user.id, scopes }).secret;
    });
  });
  console.log(secret);
}

async function revoke(id: number): Promise<void> {
  await withData((ctx) =>
    ctx.db.transaction((tx) => {
      if (!tx.get("SELECT 1 FROM oauth_tokens WHERE id = ?", id)) {
        throw new Refusal("not_found", `There is no token ${id}. "linnet token list" shows those of a user.`);
      }
      revokeToken(ctx, tx, id);
    }),
  );
  console.log(`Token ${id} is revoked.`);
}

/** The scopes of an option, each once. */
function scopesOf(given: string, name: string): string {
  const named = given.split(/[\s+]+/).filter(Boolean);
  if (named.length === 0) throw new ArgumentError(`${name} is missing, as in --scopes "read write".`);
  const unknown = named.find((scope) => !isKnownScope(scope));
  if (unknown !== undefined) throw new ArgumentError(`"${unknown}" is not a scope. There are: ${SCOPES.join(", ")}.`);
  return [...new Set(named)].join(" ");
}
