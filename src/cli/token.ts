import { Refusal } from "../errors.ts";
import { OUT_OF_BAND, registerApp } from "../oauth/apps.ts";
import { tokensOf } from "../oauth/authorizations.ts";
import { isKnownScope, SCOPES } from "../oauth/scopes.ts";
import { issueToken, revokeToken } from "../oauth/tokens.ts";
import { ArgumentError, command, requiredOption, word } from "./command.ts";
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
  "token list": command({
    summary: "Lists a user's access tokens",
    words: { name: word() },
    run: ({ name }) => listOf(name),
  }),
  "token revoke": command({
    summary: "Revokes a token",
    words: { id: word("", idFrom("token list")) },
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

async function listOf(username: string): Promise<void> {
  const tokens = await withData((ctx) => tokensOf(ctx.db, userNamed(ctx, username).id));
  const width = Math.max(0, ...tokens.map(({ name }) => name.length)) + 2;
  for (const { token_id, created_at, last_used_at, name, scopes } of tokens) {
    const used = last_used_at === null ? "unused" : day(last_used_at);
    console.log(
      `${String(token_id).padEnd(8)}${day(created_at)}  ${used.padEnd(12)}${name.padEnd(width)}${scopes.join(" ")}`,
    );
  }
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

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
