import type { Context } from "../../../context.ts";
import {
  createInvitation,
  invitationUrl,
  listInvitations,
  revokeByCode,
  stateOfInvitation,
} from "../../../core/people/invitations.ts";
import { staffAccounts } from "../../../core/people/users.ts";
import { Refusal } from "../../../errors.ts";
import { argument, command, option } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { iso, list, minute } from "../../list.ts";
import { endTime, unsuitable } from "../../parsers.ts";
import { userNamed } from "../../users.ts";

export const commands = {
  "invite create": command({
    summary: "Makes a link with which others can sign up",
    details:
      "They need no approval, also while sign-ups are closed. Users make such links on the page /settings/invitations.",
    options: {
      user: option("NAME", "on behalf of this user (default: the first owner)"),
      uses: option("NUMBER", "how many accounts it is good for (default: no limit)", usesIn),
      expires: option("TIME", "when it expires, such as 2026-12-24T18:00Z, or its last day (default: never)", endTime),
    },
    run: async (_, { user, uses, expires }) => {
      const url = await withData((ctx) => {
        const limits = { maxUses: uses ?? null, expiresAt: expires ?? null };
        const code = createInvitation(ctx, inviterNamed(ctx, user), limits);
        return invitationUrl(ctx, code);
      });
      console.log(url);
    },
  }),
  "invite list": list({
    summary: "Lists invitations, also those that are over",
    find: () =>
      withData((ctx) => listInvitations(ctx.db).map((row) => ({ ...row, state: stateOfInvitation(ctx, row) }))),
    empty: () => "There are no invitations.",
    columns: {
      CODE: ({ code }) => code,
      BY: ({ username }) => username,
      STATE: ({ state }) => state,
      USES: ({ uses, max_uses }) => (max_uses === null ? uses : `${uses}/${max_uses}`),
      EXPIRES: ({ expires_at }) => minute(expires_at),
    },
    json: ({ code, username, state, uses, max_uses, expires_at, created_at }) => ({
      code,
      username,
      state,
      uses,
      max_uses,
      expires_at: iso(expires_at),
      created_at: iso(created_at),
    }),
  }),
  "invite revoke": command({
    summary: "Ends an invitation; accounts made with it stay",
    args: { code: argument('a code from "linnet invite list"') },
    confirm: ({ code }) => `End the invitation ${code}?`,
    run: async ({ code }) => {
      if (!(await withData((ctx) => revokeByCode(ctx, code)))) {
        throw new Refusal("not_found", `There is no invitation ${code}. "linnet invite list" lists them.`);
      }
      console.log(`Revoked the invitation ${code}.`);
    },
  }),
};

function usesIn(given: string, name: string): number {
  return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : unsuitable(name, given, "a number from 1 to 999999");
}

function inviterNamed(ctx: Context, name: string | undefined): number {
  if (name !== undefined) return userNamed(ctx, name).account_id;
  const [first] = staffAccounts(ctx.db);
  if (first === undefined) throw new Refusal("invalid", 'There is no owner yet. Create one with "linnet setup".');
  return first;
}
