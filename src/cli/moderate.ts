import type { Context } from "../context.ts";
import { lookupAccount } from "../core/accounts.ts";
import { lift, moderate, STATES, type Action } from "../core/moderation.ts";
import { Refusal, UsageError } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";
import type { Run } from "./commands.ts";

/** Does something about an account; what it prints says what the account is from now on. */
export function moderateCommand(action: Action): Run {
  return async (args) => {
    const options = { text: { type: "string" }, report: { type: "string" } } as const;
    const { values, words } = readArguments(args, options, ["ACCT"]);
    const reportId = values.report === undefined ? null : reportIdOf(values.report, "--report");
    if (action === "none" && !values.text) throw new UsageError("--text is missing: a warning needs words.");
    await withData((ctx) => {
      const { id, acct } = accountNamed(ctx, words[0]!);
      moderate(ctx, id, action, { by: null, text: values.text ?? "", reportId });
      console.log(action === "none" ? `@${acct} is warned.` : `@${acct} is ${STATES[action].word}.`);
    });
  };
}

/** Ends what such a command began. */
export function liftCommand(action: Exclude<Action, "none">): Run {
  return async (args) => {
    const { words } = readArguments(args, {}, ["ACCT"]);
    await withData((ctx) => {
      const { id, acct } = accountNamed(ctx, words[0]!);
      lift(ctx, id, action);
      console.log(`@${acct} isn't ${STATES[action].word} any more.`);
    });
  };
}

export function reportIdOf(given: string, name: string): number {
  const id = parseId(given);
  if (id === null) {
    throw new UsageError(`${name} is "${given}", but should be a number, as "linnet report list" prints it.`);
  }
  return id;
}

function accountNamed(ctx: Context, handle: string): { id: number; acct: string } {
  const account = lookupAccount(ctx, handle);
  if (!account) throw new Refusal("not_found", `Nobody called "${handle}" is known here.`);
  const { id, username, domain } = account;
  return { id, acct: domain === null ? username : `${username}@${domain}` };
}
