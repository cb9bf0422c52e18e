import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOAuthAPIClient, createRestAPIClient, createStreamingAPIClient, type mastodon } from "masto";
import { binary } from "../support/binary.ts";
import { createPerson, Nowhere, run, Running, type Command } from "../support/program.ts";
import { PushService } from "../support/push-service.ts";
import { pictureFile } from "../support/uploads.ts";
import { Visitor } from "../web/visitor.ts";

/** Starting a process takes a while on a small machine, and building the executable takes longer. */
const BUILD_TIMEOUT = 180_000;
const OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob";
const SCOPES = "read write follow push";

let nowhere: Nowhere;
let server: Running;
let ada: mastodon.rest.Client;
let adasToken: string;
let grace: mastodon.rest.Client;

beforeAll(async () => {
  const command = await binary();
  nowhere = new Nowhere({ LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
  await createPersonWithPassword(command, "ada", "correct horse");
  const gracesToken = await createPerson(command, nowhere, "grace");
  server = await Running.start(command, nowhere);
  grace = createRestAPIClient({ url: server.origin, accessToken: gracesToken });
}, BUILD_TIMEOUT);
afterAll(async () => {
  await server.stop("SIGKILL");
  nowhere.remove();
});

async function createPersonWithPassword(command: Command, name: string, password: string): Promise<void> {
  const made = await run(command, ["user", "create", name, "--password-stdin"], { ...nowhere, stdin: password });
  if (made.code !== 0) throw new Error(made.stderr);
}

describe("An app built on masto.js", () => {
  test("signs in on the pages that a user sees", async () => {
    const stranger = createRestAPIClient({ url: server.origin });
    const app = await stranger.v1.apps.create({ clientName: "Tern", redirectUris: OUT_OF_BAND, scopes: SCOPES });
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: app.clientId!,
      redirect_uri: OUT_OF_BAND,
      scope: SCOPES,
      lang: "en",
    });
    const visitor = new Visitor(server);
    await visitor.get(`/oauth/authorize?${asked}`);
    await visitor.press("Sign in", { login: "ada", password: "correct horse" });
    await visitor.follow();
    const { html } = await visitor.press("Allow");
    const code = /<output[^>]*>([^<]+)<\/output>/.exec(html)?.[1];
    const oauth = createOAuthAPIClient({ url: server.origin });
    const token = await oauth.token.create({
      grantType: "authorization_code",
      clientId: app.clientId!,
      clientSecret: app.clientSecret!,
      redirectUri: OUT_OF_BAND,
      code: code!,
    });
    expect(token.scope).toBe(SCOPES);
    adasToken = token.accessToken;
    ada = createRestAPIClient({ url: server.origin, accessToken: adasToken });
    expect((await ada.v1.accounts.verifyCredentials()).acct).toBe("ada");
  });

  test("posts an image and a poll, and receives their events", async () => {
    const streaming = createStreamingAPIClient({
      streamingApiUrl: server.origin.replace("http", "ws"),
      accessToken: adasToken,
    });
    await streaming.prepare();
    const events: mastodon.streaming.Event[] = [];
    void streaming.user
      .subscribe()
      .values()
      .next()
      .then(({ value }) => events.push(value));
    const media = await ada.v2.media.create({ file: await pictureFile(), description: "A slope" });
    const posted: string[] = [];
    // The library doesn't report when the server has processed the subscription.
    for (let mediaIds = [media.id]; events.length === 0; mediaIds = []) {
      posted.push((await ada.v1.statuses.create({ status: "Look #here", mediaIds, language: "en" })).id);
    }
    expect(events[0]!.event).toBe("update");
    expect(posted).toContain((events[0]!.payload as mastodon.v1.Status).id);
    streaming.close();
    const asked = await ada.v1.statuses.create({
      status: "By boat or on foot?",
      language: "en",
      poll: { options: ["By boat", "On foot"], expiresIn: 3600 },
    });
    const voted = await grace.v1.polls.$select(asked.poll!.id).votes.create({ choices: [1] });
    expect(voted.options.map(({ votesCount }) => votesCount)).toEqual([0, 1]);
  });

  test("reads grouped notifications", async () => {
    const status = await ada.v1.statuses.create({ status: "The tide is out", language: "en" });
    await grace.v1.statuses.$select(status.id).favourite();
    await grace.v1.statuses.create({ status: "@ada It is", inReplyToId: status.id, language: "en" });
    const { notificationGroups, accounts, statuses } = await ada.v2.notifications.list({
      types: ["favourite", "mention"],
    });
    expect(notificationGroups.map(({ type, notificationsCount }) => [type, notificationsCount])).toEqual([
      ["mention", 1],
      ["favourite", 1],
    ]);
    expect(accounts.map(({ acct }) => acct)).toEqual(["grace"]);
    expect(statuses.map(({ id }) => id)).toContain(status.id);
    const favourite = notificationGroups[1]!;
    const [sender] = await ada.v2.notifications.$select(favourite.groupKey).accounts.fetch();
    expect(sender!.acct).toBe("grace");
    expect((await ada.v2.notifications.unreadCount.fetch()).count).toBe(2);
    const policy = await ada.v2.notifications.policy.update({ forNotFollowing: "filter" });
    expect(policy.forNotFollowing).toBe("filter");
    await ada.v2.notifications.policy.update({ forNotFollowing: "accept" });
  });

  test("uses a list, a filter and search", async () => {
    const { id } = await grace.v1.accounts.verifyCredentials();
    await ada.v1.accounts.$select(id).follow();
    const list = await ada.v1.lists.create({ title: "Friends" });
    await ada.v1.lists.$select(list.id).accounts.create({ accountIds: [id] });
    await ada.v2.filters.create({
      title: "Weather",
      context: ["home"],
      filterAction: "warn",
      keywordsAttributes: [{ keyword: "drizzle", wholeWord: true }],
    });
    const status = await grace.v1.statuses.create({ status: "Drizzle over the lighthouse", language: "en" });
    const listed = await ada.v1.timelines.list.$select(list.id).list();
    expect(listed[0]!.id).toBe(status.id);
    const [newest] = await ada.v1.timelines.home.list({ limit: 1 });
    expect(newest!.filtered?.map(({ keywordMatches }) => keywordMatches)).toEqual([["drizzle"]]);
    await ada.v1.statuses.$select(status.id).bookmark();
    const found = await ada.v2.search.list({ q: "lighthouse drizzle" });
    expect(found.statuses.map((status) => status.id)).toEqual([status.id]);
  });

  test("receives a push message", async () => {
    const service = new PushService("127.0.0.1");
    const device = service.device();
    const { configuration } = await ada.v2.instance.fetch();
    const subscription = await ada.v1.push.subscription.create({
      subscription: device.subscription(),
      data: { alerts: { follow: true } },
      policy: "all",
    });
    expect(subscription.serverKey).toBe(configuration.vapid.publicKey);
    await grace.v1.accounts.$select((await ada.v1.accounts.verifyCredentials()).id).follow();
    await device.woken.promise;
    const [message] = device.messages;
    expect([message.notification_type, message.access_token]).toEqual(["follow", adasToken]);
    const notification = await ada.v1.notifications.$select(String(message.notification_id)).fetch();
    expect([notification.type, notification.account.acct]).toEqual(["follow", "grace"]);
    await ada.v1.push.subscription.remove();
    await service.stop();
  });
});
