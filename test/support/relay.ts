import type { Json } from "./client.ts";
import { type HostileAccount, type HostilePeer, PUBLIC } from "./hostile-peer.ts";
import type { TestServer } from "./server.ts";

/** A small relay of either kind, for servers of a test. It answers and hands on what it received when `work` is called. */
export class TestRelay {
  readonly account: HostileAccount;
  /** The URIs of the servers that it accepted. */
  readonly members = new Set<string>();
  /** How it answers a Follow. */
  answer: "Accept" | "Reject" = "Accept";
  private read = 0;

  constructor(
    private readonly peer: HostilePeer,
    readonly kind: "mastodon" | "litepub",
    private readonly servers: readonly TestServer[],
    host = "relay.test",
  ) {
    this.account = peer.account("relay", host, { type: "Application" });
    this.account.document.inbox = `${this.account.origin}/inbox`;
  }

  /** The address that an owner types to add it. */
  get address(): string {
    return this.kind === "mastodon" ? this.account.document.inbox : this.account.uri;
  }

  /** The activities that it received, oldest first. */
  get received(): Json[] {
    const { inbox } = this.account.document;
    return this.peer.asked
      .filter(({ method, url }) => method === "POST" && url === inbox)
      .map(({ body }) => JSON.parse(body));
  }

  /** Deals with what it received since the last call. */
  async work(): Promise<void> {
    for (const activity of this.received.slice(this.read)) {
      this.read += 1;
      await this.handle(activity);
    }
  }

  private async handle(activity: Json): Promise<void> {
    const { account } = this;
    const member = this.serverOf(activity.actor)!;
    switch (activity.type) {
      case "Follow": {
        await account.deliver(member, account.activity(this.answer, activity));
        if (this.answer === "Reject") return;
        this.members.add(activity.actor);
        if (this.kind === "litepub") await account.deliver(member, account.activity("Follow", activity.actor));
        return;
      }
      case "Undo":
        return void this.members.delete(activity.actor);
      case "Create":
        return this.handOn(activity);
    }
  }

  /** Sends a Create to all other members: as it is, or as an Announce of its object. */
  async handOn(create: Json): Promise<void> {
    const announced = this.account.activity("Announce", create.object.id ?? create.object, { to: [PUBLIC] });
    for (const uri of this.members) {
      const server = this.serverOf(uri)!;
      if (server === this.serverOf(create.actor)) continue;
      if (this.kind === "litepub") await this.account.deliver(server, announced);
      else await this.forward(server, create);
    }
  }

  /** Sends an activity of another account. Returns the status of the response. */
  async forward(server: TestServer, activity: Json): Promise<number> {
    const status = await this.account.send(server, activity);
    await server.drain();
    return status;
  }

  private serverOf(uri: string): TestServer | undefined {
    const { origin } = new URL(uri);
    return this.servers.find(({ ctx }) => ctx.config.origin === origin);
  }
}
