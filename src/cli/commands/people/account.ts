import { rotateKey } from "../../../core/people/account-keys.ts";
import { argument, command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { userNamed } from "../../users.ts";

const NAME = argument("the name of a user");

/** What other servers know of a user. The commands about the user on this server are under `user`. */
export const commands = {
  "account rotate-key": command({
    summary: "Replaces the key that signs what an account sends to other servers",
    details: `Use it if a copy of the database may have fallen into the wrong hands. The running server announces the new key to the
servers that know the account, signed with the old one. Deliveries that are waiting still arrive.`,
    args: { name: NAME },
    run: ({ name }) =>
      withData(async (ctx) => {
        const user = userNamed(ctx, name);
        await rotateKey(ctx, user.account_id);
        console.log(`@${user.username} has a new key. The server announces it now, or at its next start.`);
      }),
  }),
};
