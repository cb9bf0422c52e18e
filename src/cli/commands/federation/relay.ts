import { type Added, listRelays, removeRelay } from "../../../core/moderation/relays.ts";
import { followRelay } from "../../../federation/relays.ts";
import { Refusal } from "../../../errors.ts";
import { argument, command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { iso, list, minute } from "../../list.ts";

export const commands = {
  "relay add": command({
    summary: "Asks a relay for the public posts of its members, and sends it those of this server",
    details: `A relay hands on the public posts of its members. They appear in the public and hashtag timelines, not in home timelines.
Mastodon's relays have an address that ends in /inbox; LitePub's have that of an account, such as
https://relay.example/actor. Linnet may be running. The relay has to accept this server: see "linnet relay list".

A relay is paused if it names 20 posts within an hour that don't exist on their servers. Add it again to resume it.`,
    args: { address: argument("the address of the relay") },
    run: async ({ address: given }) => {
      console.log(OUTCOMES[await withData((ctx) => followRelay(ctx, addressIn(given)))]);
    },
  }),
  "relay list": list({
    summary: "Lists the relays",
    details: `POSTS is the number of posts stored in the last 24 hours. A relay with a time under PAUSED is ignored until you add it again.`,
    find: () => withData((ctx) => listRelays(ctx)),
    empty: () => "There are no relays.",
    columns: {
      ADDRESS: (relay) => relay.address,
      KIND: ({ kind }) => kind,
      STATE: ({ state }) => state,
      POSTS: ({ posts }) => posts,
      PAUSED: ({ paused_at }) => minute(paused_at),
    },
    json: ({ address: url, kind, state, posts, paused_at }) => ({
      address: url,
      kind,
      state,
      posts,
      paused_at: iso(paused_at),
    }),
  }),
  "relay remove": command({
    summary: "Ends the exchange with a relay",
    details: "Posts that it brought stay.",
    args: { address: argument('an address from "linnet relay list"') },
    confirm: ({ address: given }) => `End the exchange with the relay ${given}?`,
    run: async ({ address: given }) => {
      await withData((ctx) => removeRelay(ctx, given));
      console.log(`Removed the relay ${given}.`);
    },
  }),
};

const OUTCOMES: Record<Added, string> = {
  asked: 'The relay is asked for posts. Its answer will be in "linnet relay list".',
  "asked again": 'The relay is asked for posts again. Its answer will be in "linnet relay list".',
  resumed: "Posts of the relay are accepted again.",
};

/** Without a fragment, which no server sees. */
function addressIn(given: string): string {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new Refusal("invalid", `"${given}" is no address. Write it like https://relay.example/inbox.`);
  }
  url.hash = "";
  return url.href;
}
