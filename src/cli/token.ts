import type { Context } from "../context.ts";
import { findUser, type UserRow } from "../core/users.ts";
import { Refusal, UsageError } from "../errors.ts";
import { OUT_OF_BAND, registerApp } from "../oauth/apps.ts";
import { parseId } from "../lib/ids.ts";
import { tokensOf } from "../oauth/authorizations.ts";
import { isKnownScope, SCOPES } from "../oauth/scopes.ts";
import { issueToken, revokeToken } from "../oauth/tokens.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

/** Prints a token of a user, of an app made for it. */
export async function createTokenCommand(args: string[]): Promise<void> {
  const { values, words } = readArguments(args, { scopes: { type: "string" } }, ["NAME"]);
  const scopes = scopesOf(values.scopes);
  const secret = await withData((ctx) => {
    const user = userNamed(ctx, words[0]!);
    return ctx.db.transaction((tx) => {
      const { app } = registerApp(ctx, tx, { name: "Linnet", website: null, redirectUris: [OUT_OF_BAND], scopes });
      return issueToken(ctx, tx, { appId: app.id, userId: user.id, scopes }).secret;
    });
  });
  console.log(secret);
}

/** A line a token: id, since when, last use, app, and what it may do. */
export async function listTokensCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["NAME"]);
  const tokens = await withData((ctx) => tokensOf(ctx.db, userNamed(ctx, words[0]!).id));
  const width = Math.max(0, ...tokens.map(({ name }) => name.length)) + 2;
  for (const { token_id, created_at, last_used_at, name, scopes } of tokens) {
    const used = last_used_at === null ? "unused" : day(last_used_at);
    console.log(
      `${String(token_id).padEnd(8)}${day(created_at)}  ${used.padEnd(12)}${name.padEnd(width)}${scopes.join(" ")}`,
    );
  }
}

export async function revokeTokenCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = parseId(words[0]);
  if (id === null)
    throw new UsageError(`ID is "${words[0]}", but should be a number, as "linnet token list" prints it.`);
  await withData((ctx) =>
    ctx.db.transaction((tx) => {
      if (!tx.get("SELECT 1 FROM oauth_tokens WHERE id = ?", id)) {
        throw new Refusal("not_found", `There is no token ${id}. "linnet token list" shows those of a user.`);
      }
      revokeToken(ctx, tx, id);
    }),
  );
  console.log(`The token ${id} is worth nothing any more.`);
}

/** The scopes of an option, each once. */
function scopesOf(value = ""): string {
  const named = value.split(/[\s+]+/).filter(Boolean);
  if (named.length === 0) throw new UsageError('--scopes is missing, as in --scopes "read write".');
  const unknown = named.find((scope) => !isKnownScope(scope));
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is not a scope. There are: ${SCOPES.join(", ")}.`);
  return [...new Set(named)].join(" ");
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function userNamed(ctx: Context, name: string): UserRow {
  const user = findUser(ctx, name);
  if (!user) throw new Refusal("not_found", `There is no user called "${name}".`);
  return user;
}
