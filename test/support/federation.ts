import { afterEach, beforeEach } from "bun:test";
import { Client } from "./client.ts";
import { startServer, TestServer } from "./server.ts";

/** Settings of a server that talks to others on this machine. */
const CLOSED_NETWORK = { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" } as const;

/** A server with the host name `NAME.test`, which every server of a test resolves to this machine. */
export async function startNamed(name: string, settings: Record<`LINNET_${string}`, string> = {}): Promise<TestServer> {
  const port = freePort();
  const LINNET_URL = `http://${name}.test:${port}`;
  return startServer({ ...CLOSED_NETWORK, LINNET_URL, LINNET_PORT: String(port), ...settings });
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}

/** A user of a federated server. */
export class Neighbour extends Client {
  server!: TestServer;
  username!: string;

  get handle(): string {
    return `${this.username}@${this.server.ctx.config.handleDomain}`;
  }

  get uri(): string {
    return `${this.server.ctx.config.origin}/users/${this.username}`;
  }

  /** The id that another user's server has given to this account; it is fetched if it is unknown. */
  async idFor(other: Client): Promise<string> {
    const { json } = await other.get(`/api/v2/search?q=${encodeURIComponent(this.handle)}&resolve=true`);
    return json.accounts[0].id;
  }
}

/**
 * A server with one user for each name, before each test: `const { alice, bob, drain } = neighboursForEachTest(["alice",
 * "bob"])`. The servers are named after their users. `drain` runs the jobs of all servers until none is due.
 */
export function neighboursForEachTest<Name extends string>(names: Name[], settings = {}) {
  const users = names.map((name): [Name, Neighbour] => [name, Object.create(Neighbour.prototype)]);
  const servers: TestServer[] = [];
  beforeEach(async () => {
    for (const [name, user] of users) {
      const server = await startNamed(`${name}s-server`, settings);
      servers.push(server);
      Object.assign(user, await server.person(name), { server, username: name });
    }
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  return { ...(Object.fromEntries(users) as Record<Name, Neighbour>), servers, drain: () => drainAll(servers) };
}

/** Runs the due jobs of all servers, and those that they cause on each other. */
export async function drainAll(servers: readonly TestServer[]): Promise<void> {
  do {
    for (const server of servers) await server.drain();
  } while (servers.some(hasDueJobs));
}

function hasDueJobs({ ctx, clock }: TestServer): boolean {
  const sql = "SELECT 1 FROM jobs WHERE run_at <= +$now AND leased = 0 LIMIT 1";
  return ctx.db.get(sql, { now: clock.now() }) !== null;
}
