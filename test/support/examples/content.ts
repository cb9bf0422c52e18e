import { insertRemoteMedia } from "../../../src/core/remote-media/remote-attachments.ts";
import { storeFavourite } from "../../../src/core/statuses/interactions.ts";
import type { Client, Json } from "../client.ts";
import { remoteAttachment, putBytes, setPictures } from "../remote-media.ts";
import { followRemote, remoteAccount, remoteFollow, type RemoteAccount } from "../remote-rows.ts";
import { reblogFrom, rowOf, storeFrom, type Sent } from "../remote-statuses.ts";
import type { TestServer } from "../server.ts";
import { Site } from "../site.ts";
import { upload } from "../uploads.ts";
import { landscape, type Scene } from "./scenes.ts";

/* The content of a pleasant small server, for screenshots and for the test of all pages. */

const MINUTE = 60_000;

const DAWN: Scene = {
  sky: ["#f6b48f", "#fde8cf"],
  sun: "#fff4dc",
  hills: ["#c98f7a", "#94705f", "#55534a", "#2f3a34"],
  seed: 1.3,
  hasBirds: true,
};
const DUSK: Scene = {
  sky: ["#2c3e66", "#d98c74"],
  sun: "#ffd9a0",
  hills: ["#6d5a78", "#4a4566", "#2b2f4c"],
  seed: 4.1,
  at: [0.3, 0.42],
};
const MARSH: Scene = {
  sky: ["#9cc7d8", "#f3efdc"],
  sun: "#fffbe8",
  hills: ["#a9bf9a", "#7e9c72", "#4f7353", "#35543f"],
  seed: 2.2,
  hasBirds: true,
};
const COAST: Scene = {
  sky: ["#7db3d6", "#dfeef2"],
  sun: "#fff6d8",
  hills: ["#86b5bd", "#4f8c9c", "#2f6677"],
  seed: 5.6,
  at: [0.76, 0.24],
};

/** Accounts of other servers: their names and faces. */
const NEIGHBOURS = {
  mira: { domain: "wetland.example", displayName: "Mira Lindqvist", face: { ...MARSH, seed: 6 } },
  tomas: { domain: "allotment.example", displayName: "Tomás Rey", face: { ...DAWN, seed: 3.3 } },
  juno: { domain: "letterpress.example", displayName: "Juno Park", face: { ...DUSK, seed: 0.4 } },
} as const;

type Neighbour = keyof typeof NEIGHBOURS;

export interface Examples {
  owner: Client;
  neighbours: Record<Neighbour, RemoteAccount>;
  /** Posts of the owner. */
  picture: Json;
  poll: Json;
  warning: Json;
  long: Json;
  /** A post of another server with a picture. */
  remote: string;
  /** Ends the website that has the pictures of the neighbours. */
  stop(): Promise<void>;
}

/** Fills a server, as its owner `@robin` would find it on a quiet morning. */
export async function addExamples(server: TestServer): Promise<Examples> {
  const owner = await server.person("robin");
  const site = new Site();
  await describeOwner(owner);
  const neighbours = await meetNeighbours(server, site, owner);
  const posts = await writePosts(server, owner);
  answer(server, neighbours, posts);
  const remote = await hearFrom(server, site, neighbours);
  await server.drain();
  return { owner, neighbours, ...posts, remote, stop: () => site.stop() };
}

async function picture(scene: Scene, width: number, height: number): Promise<File> {
  return new File([await landscape(scene, width, height)], "picture.png", { type: "image/png" });
}

/** A picture that no post has yet. */
export function examplePicture(): Promise<Buffer> {
  return landscape({ ...COAST, seed: 3 }, 1200, 750);
}

async function describeOwner(owner: Client): Promise<void> {
  const form = new FormData();
  form.set("display_name", "Robin Ashdown");
  form.set(
    "note",
    "Birds, bread and a very small server. I walk the marsh before work and write down what I see. #birds",
  );
  form.set("avatar", await picture(DAWN, 400, 400));
  form.set("header", await picture({ ...MARSH, seed: 0.9 }, 1500, 500));
  form.set("discoverable", "true");
  form.set("indexable", "true");
  for (const [at, [name, value]] of [
    ["Pronouns", "they/them"],
    ["Home", "the edge of the marsh"],
    ["Garden", "https://ashdown.example"],
  ].entries()) {
    form.set(`fields_attributes[${at}][name]`, name!);
    form.set(`fields_attributes[${at}][value]`, value!);
  }
  await owner.patch("/api/v1/accounts/update_credentials", form);
}

async function meetNeighbours(server: TestServer, site: Site, owner: Client): Promise<Examples["neighbours"]> {
  const met = Object.entries(NEIGHBOURS).map(async ([username, { domain, displayName, face }]) => {
    const account = remoteAccount(server, { username, domain, displayName, noteHtml: "<p>Hello from next door.</p>" });
    const avatarUrl = putBytes(site, `/${username}.png`, await landscape(face, 400, 400), "image/png", domain);
    setPictures(server, account.id, { avatarUrl });
    await followRemote(server, owner, account);
    remoteFollow(server, account, owner);
    return [username, account];
  });
  return Object.fromEntries(await Promise.all(met));
}

const RECIPE = `# Saturday bread

Slow, but hardly any work. It keeps for four days.

1. **Evening:** mix 500 g flour, 380 g water, 10 g salt and 3 g yeast. Cover it.
2. **Morning:** fold it twice, half an hour apart.
3. **Noon:** shape, rest for an hour, and bake at 240 °C for 40 minutes.

> If the crust sings while it cools, it worked.

The table in my notebook says \`76 %\` water. More is possible on dry days. Write to me if you try it: I collect
variations, and there are eleven by now. The one with walnuts is from [the mill](https://mill.example).

- Rye makes it darker and keeps it fresh.
- A handful of oats makes it soft.
- Seeds belong into the dough, not only on top.`;

async function writePosts(
  server: TestServer,
  owner: Client,
): Promise<Pick<Examples, "picture" | "poll" | "warning" | "long">> {
  const long = await owner.publish({ status: RECIPE, content_type: "text/markdown" });
  server.clock.advance(26 * 60 * MINUTE);
  const warning = await owner.publish({
    status: "It was the owl. It was always the owl. I should have known from the first feather.",
    spoiler_text: "The end of last night's book",
  });
  server.clock.advance(95 * MINUTE);
  const poll = await owner.publish({
    status: "Which walk on Sunday? I bring the tea.",
    poll: { options: ["Along the river", "Up to the mill", "Once around the marsh"], expires_in: 86400 },
  });
  server.clock.advance(40 * MINUTE);
  const attached = await uploadedPicture(
    owner,
    DAWN,
    "The marsh at sunrise: a low sun over dark reeds, three birds above",
  );
  const picture = await owner.publish({
    status: "First light over the marsh. Three herons. #birds",
    media_ids: [attached],
  });
  return { picture, poll, warning, long };
}

async function uploadedPicture(owner: Client, scene: Scene, description: string): Promise<string> {
  const { json } = await upload(owner, await picture(scene, 1200, 750), { description });
  return json.id;
}

/** Posts of the neighbours, oldest first. Returns the id of one with a picture. */
async function hearFrom(
  server: TestServer,
  site: Site,
  { mira, tomas, juno }: Examples["neighbours"],
): Promise<string> {
  const say = (author: RemoteAccount, content: string, sent: Sent = {}) => {
    server.clock.advance(11 * MINUTE);
    return storeFrom(server, author, { content, ...sent })!;
  };
  const setting = say(juno, "<p>Set the last page of the almanac today. 4,000 letters, two of them upside down.</p>");
  say(juno, "<p>Make that three.</p>", { inReplyToUri: rowOf(server, setting).uri });
  say(tomas, "<p>The first frost took the beans and left the kale. I know which of us complained.</p>", {
    tags: ["garden"],
  });
  const coast = await landscape(COAST, 1200, 750);
  const url = putBytes(site, "/coast.png", coast, "image/png", NEIGHBOURS.mira.domain);
  return say(mira, "<p>Low tide. The sandbank is back where it was five years ago.</p>", {
    attachMedia: (id) =>
      server.ctx.db.transaction((tx) =>
        insertRemoteMedia(server.ctx, tx, id, Number(mira.id), [
          remoteAttachment(url, { description: "A calm blue coast", width: 1200, height: 750 }),
        ]),
      ),
  });
}

/** Notifications for the owner. */
function answer(
  server: TestServer,
  { mira, tomas, juno }: Examples["neighbours"],
  { picture, long, poll }: Pick<Examples, "picture" | "long" | "poll">,
): void {
  const { ctx, clock } = server;
  reblogFrom(server, tomas, long.id);
  for (const account of [juno, tomas, mira]) {
    const favourite = { accountId: Number(account.id), status: rowOf(server, picture.id), uri: null, emoji: null };
    ctx.db.transaction((tx) => storeFavourite(ctx, tx, { ...favourite, isQuiet: false }));
  }
  clock.advance(7 * MINUTE);
  const replies: [RemoteAccount, Json, string][] = [
    [tomas, poll, "The mill, if there is cake on the way."],
    [mira, picture, "Three! I only ever get two, and a cormorant who judges me."],
  ];
  for (const [author, { uri, account }, text] of replies) {
    const mention = `<span class="h-card"><a href="${account.url}" class="u-url mention">@<span>robin</span></a></span>`;
    storeFrom(server, author, { content: `<p>${mention} ${text}</p>`, inReplyToUri: uri, mentions: [account] });
    clock.advance(2 * MINUTE);
  }
}
