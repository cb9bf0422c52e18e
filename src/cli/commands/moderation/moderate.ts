import type { Context } from "../../../context.ts";
import { lookupAccount } from "../../../core/accounts.ts";
import { liftAction, moderate, STATES, type Action } from "../../../core/moderation/moderation.ts";
import { Refusal } from "../../../errors.ts";
import { command, option, requiredOption, argument, type Command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { filled, idFrom } from "../../parsers.ts";

const ACCT = argument("a handle: name, or name@domain for remote accounts");
const MESSAGE = "a message to the user";

export const commands = {
  "moderate warn": act("none", "Sends a warning to a local user, without any restriction"),
  "moderate limit": act(
    "silence",
    "Hides an account from public timelines, trends, directory and suggestions",
    "Their follows need approval, and their notifications are filtered for people who don't follow them.",
  ),
  "moderate unlimit": undo("silence", "Shows the account in public timelines again"),
  "moderate sensitive": act("sensitive", "Marks an account's media as sensitive, including future uploads"),
  "moderate unsensitive": undo("sensitive", "Stops marking an account's media as sensitive"),
  "moderate freeze": act("disable", "Disables sign-in for a local user and their apps; their posts stay"),
  "moderate unfreeze": undo("disable", "Enables sign-in for a user and their apps again"),
  "moderate suspend": act(
    "suspend",
    "Hides an account and its posts, and disables sign-in",
    "Nothing is deleted. Follows between a remote account and local users end permanently; those users are notified.",
  ),
  "moderate unsuspend": undo("suspend", "Shows a suspended account and its posts again"),
};

/** A command that moderates an account; its output names the new state. */
function act(action: Action, summary: string, details?: string): Command {
  return command({
    summary,
    ...(details && { details }),
    args: { acct: ACCT },
    options: {
      text: action === "none" ? requiredOption("TEXT", MESSAGE, filled) : option("TEXT", MESSAGE),
      report: option("ID", "the report that led to this; the message then lists its posts", idFrom("report list")),
    },
    run: async ({ acct: handle }, { text = "", report = null }) => {
      await withData((ctx) => {
        const { id, acct } = accountNamed(ctx, handle);
        moderate(ctx, id, action, { by: null, text, reportId: report });
        console.log(action === "none" ? `Warned @${acct}.` : `@${acct} is now ${STATES[action].word}.`);
      });
    },
  });
}

/** A command that reverses a moderation action. */
function undo(action: Exclude<Action, "none">, summary: string): Command {
  return command({
    summary,
    args: { acct: ACCT },
    run: ({ acct: handle }) =>
      withData((ctx) => {
        const { id, acct } = accountNamed(ctx, handle);
        liftAction(ctx, id, action);
        console.log(`@${acct} is no longer ${STATES[action].word}.`);
      }),
  });
}

function accountNamed(ctx: Context, handle: string): { id: number; acct: string } {
  const account = lookupAccount(ctx, handle);
  if (!account) throw new Refusal("not_found", `There is no account "${handle}" on this server.`);
  const { id, username, domain } = account;
  return { id, acct: domain === null ? username : `${username}@${domain}` };
}
