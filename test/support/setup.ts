import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { ArchiveFolder } from "./archives.ts";
import { Client } from "./client.ts";
import { startServer, TestServer } from "./server.ts";

type Settings = Parameters<typeof startServer>[0];
type Prepared<Name extends string> = { server: TestServer } & Record<Name, Client>;

/**
 * One server for all tests of the file or `describe`, with an owner for each username:
 * `const { server, alice } = serverForAllTests(["alice"])`.
 */
export function serverForAllTests<Name extends string = never>(
  names: Name[] = [],
  settings?: Settings,
): Prepared<Name> {
  const { prepared, start } = prepare(names, settings);
  beforeAll(start);
  afterAll(() => prepared.server.stop());
  return prepared;
}

/** The same with a new server before each test. */
export function serverForEachTest<Name extends string = never>(
  names: Name[] = [],
  settings?: Settings,
): Prepared<Name> {
  const { prepared, start } = prepare(names, settings);
  beforeEach(start);
  afterEach(() => prepared.server.stop());
  return prepared;
}

/** A folder for archives. */
export function archivesForAllTests(): ArchiveFolder {
  const archives = new ArchiveFolder();
  afterAll(() => archives.remove());
  return archives;
}

/**
 * The objects exist at once, so that a file can name them at its top; `start` fills in their fields. A request made before
 * that fails, because it has no address.
 */
function prepare<Name extends string>(names: Name[], settings: Settings) {
  const server: TestServer = Object.create(TestServer.prototype);
  const clients = names.map((name): [Name, Client] => [name, Object.create(Client.prototype)]);
  const start = async () => {
    Object.assign(server, await startServer(settings));
    for (const [name, client] of clients) Object.assign(client, await server.person(name));
  };
  return { prepared: { server, ...(Object.fromEntries(clients) as Record<Name, Client>) }, start };
}
