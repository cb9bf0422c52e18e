import { findUser } from "../core/users.ts";
import { Refusal, UsageError } from "../errors.ts";
import { OUT_OF_BAND, registerApp } from "../oauth/apps.ts";
import { parseScopes } from "../oauth/scopes.ts";
import { issueToken } from "../oauth/tokens.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

/** Prints a token of a user, of an app made for it. */
export async function createTokenCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, { scopes: { type: "string" } }, ["NAME"]);
  if (values.scopes === undefined) throw new UsageError('--scopes is missing, as in --scopes "read write".');
  const scopes = parseScopes(values.scopes)?.join(" ");
  if (!scopes) throw new UsageError(`--scopes is "${values.scopes}", but should be scopes of Mastodon's API.`);
  const secret = await withData((ctx) => {
    const user = findUser(ctx, words[0]!);
    if (!user) throw new Refusal("not_found", `There is no user called "${words[0]}".`);
    return ctx.db.transaction((tx) => {
      const { app } = registerApp(ctx, tx, { name: "Linnet", website: null, redirectUris: [OUT_OF_BAND], scopes });
      return issueToken(ctx, tx, { appId: app.id, userId: user.id, scopes }).secret;
    });
  });
  console.log(secret);
}
