import { afterEach, beforeEach } from "bun:test";
import { Client, type Answer, type Json } from "./client.ts";
import { type PeerSettings, peersForEachTest } from "./fedify-peer.ts";
import { freePort } from "./free-port.ts";
import { startServer, TestServer } from "./server.ts";

/** Settings of a server that talks to others on this machine. */
const CLOSED_NETWORK = { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" } as const;

type Settings = Record<`LINNET_${string}`, string>;

/** A server with the host name `NAME.test`, which every server of a test resolves to this machine. */
async function startNamed(name: string, settings: Settings = {}): Promise<TestServer> {
  const port = freePort();
  const LINNET_URL = `http://${name}.test:${port}`;
  return startServer({ ...CLOSED_NETWORK, LINNET_URL, LINNET_PORT: String(port), ...settings });
}

/** An account on any server: a user, or an actor of a peer. */
export interface Known {
  /** Without a leading @. */
  handle: string;
  uri: string;
}

/** A user of a federated server. */
export class Neighbour extends Client implements Known {
  server!: TestServer;
  username!: string;

  get handle(): string {
    return `${this.username}@${this.server.ctx.config.handleDomain}`;
  }

  get uri(): string {
    return `${this.server.ctx.config.origin}/users/${this.username}`;
  }

  /** The id that this user's server has given to another account. An unknown one is fetched. */
  async idOf(other: Known): Promise<string> {
    const { accounts } = await this.resolve(`@${other.handle}`);
    const found = accounts.find(({ acct }: Json) => acct === other.handle);
    if (!found) throw new Error(`${this.handle} does not find @${other.handle}`);
    return found.id;
  }

  /** Calls a method of the API for another account, such as `block`. */
  async act(action: string, other: Known, options?: object): Promise<Answer> {
    return this.post(`/api/v1/accounts/${await this.idOf(other)}/${action}`, options);
  }

  async relationship(other: Known): Promise<Json> {
    const { json } = await this.get(`/api/v1/accounts/relationships?id[]=${await this.idOf(other)}`);
    return json[0];
  }

  /** The result of a search for an address or handle, which is fetched if it is unknown. */
  async resolve(q: string): Promise<Json> {
    const { status, json } = await this.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(q)}`);
    if (status !== 200) throw new Error(`The search for ${q} was answered with ${status}`);
    return json;
  }

  /** The account as this user's server shows it. */
  async profile(other: Known): Promise<Json> {
    return (await this.get(`/api/v1/accounts/${await this.idOf(other)}`)).json;
  }

  /** The status with this URI as this user's server shows it; null if it has none, or hides it. */
  async copyOf({ uri }: { uri: string }): Promise<Json | null> {
    const sql = "SELECT id FROM statuses WHERE uri = +$uri";
    const row = this.server.ctx.db.get<{ id: number }>(sql, { uri });
    const answer = row && (await this.get(`/api/v1/statuses/${row.id}`));
    return answer?.status === 200 ? answer.json : null;
  }

  /** Calls a method of the API for the local copy of a status, such as `favourite`. */
  async react(action: string, status: { uri: string }, body?: object): Promise<Answer> {
    const copy = await this.copyOf(status);
    if (!copy) throw new Error(`${this.handle} can't see ${status.uri}`);
    return this.post(`/api/v1/statuses/${copy.id}/${action}`, body);
  }

  /** The newest statuses of the home timeline. */
  async home(): Promise<Json[]> {
    return (await this.get("/api/v1/timelines/home?limit=40")).json;
  }

  /** The newest notifications as pairs of type and account. */
  async news(): Promise<[type: string, acct: string][]> {
    const { json } = await this.get("/api/v1/notifications?limit=40");
    return json.map(({ type, account }: Json) => [type, account.acct]);
  }
}

/** The users of a test, with their servers. */
export type Neighbourhood<Name extends string> = Record<Name, Neighbour> & {
  servers: TestServer[];
  /** Runs the jobs of all servers until none is due. */
  drain(): Promise<void>;
  /** Advances the clocks of all servers, in milliseconds. */
  advance(by: number): void;
  /** Lets users follow each other: `befriend(alice, bob)`. All follows have been accepted when it returns. */
  befriend(...users: Neighbour[]): Promise<void>;
};

/**
 * A server with one user for each name, before each test: `const { alice, bob, drain } = neighboursForEachTest(["alice",
 * "bob"])`. The servers are named after their users.
 */
export function neighboursForEachTest<Name extends string>(
  names: Name[],
  settings: Settings = {},
): Neighbourhood<Name> {
  const users = names.map((name): [Name, Neighbour] => [name, Object.create(Neighbour.prototype)]);
  const servers: TestServer[] = [];
  beforeEach(async () => {
    for (const [name, user] of users) {
      Object.assign(user, await startNeighbour(name, settings));
      servers.push(user.server);
    }
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  const drain = () => drainAll(servers);
  return {
    ...(Object.fromEntries(users) as Record<Name, Neighbour>),
    servers,
    drain,
    advance: (by) => servers.forEach(({ clock }) => clock.advance(by)),
    befriend: async (...friends) => {
      for (const one of friends) {
        for (const other of friends) if (one !== other) await one.act("follow", other);
      }
      await drain();
    },
  };
}

/** A user with a server of their own, which the test stops. */
export async function startNeighbour(name: string, settings: Settings = {}): Promise<Neighbour> {
  const server = await startNamed(`${name}s-server`, settings);
  const user: Neighbour = Object.create(Neighbour.prototype);
  return Object.assign(user, await server.person(name), { server, username: name });
}

/** Runs the due jobs of all servers that are not killed, and those that they cause on each other. */
async function drainAll(all: readonly TestServer[]): Promise<void> {
  const servers = all.filter(({ isKilled }) => !isKilled);
  do {
    for (const server of servers) await server.drain();
  } while (servers.some(hasDueJobs));
}

function hasDueJobs({ ctx, clock }: TestServer): boolean {
  const sql = "SELECT 1 FROM jobs WHERE run_at <= +$now AND leased = 0 LIMIT 1";
  return ctx.db.get(sql, { now: clock.now() }) !== null;
}

/**
 * A Linnet server with the user `alice` before each test, and functions that start peers with the same clock: any, one
 * that alice follows, one that follows her, or both.
 */
export function aliceAndPeers(settings: Settings = {}) {
  const neighbourhood = neighboursForEachTest(["alice"], settings);
  const { alice, drain } = neighbourhood;
  const clock = { now: () => alice.server.clock.now() };
  const newPeer = peersForEachTest({ clockOf: { clock } } satisfies PeerSettings);
  const newFollowed = async (name: string) => {
    const peer = await newPeer(name);
    await alice.act("follow", peer);
    await drain();
    return peer;
  };
  const newFollower = async (name: string) => {
    const peer = await newPeer(name);
    await peer.follow(alice.uri);
    await drain();
    return peer;
  };
  const newFriend = async (name: string) => {
    const peer = await newFollowed(name);
    await peer.follow(alice.uri);
    await drain();
    return peer;
  };
  return { ...neighbourhood, newPeer, newFollowed, newFollower, newFriend };
}
