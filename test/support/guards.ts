import { expect } from "bun:test";
import { Client } from "./client.ts";
import type { TestServer } from "./server.ts";

export type Call = ["get" | "post" | "put" | "patch" | "delete", string, object?];

/**
 * Checks that each call is refused for anonymous clients, invalid tokens, app tokens and tokens without the scope, and
 * accepted with the scope alone, whatever the response is then.
 */
export async function expectGuarded(server: TestServer, who: Client, scope: string, calls: Call[]): Promise<void> {
  const answersTo = (client: Client) =>
    Promise.all(calls.map(async ([method, path, body]) => (await client[method](path, body)).status));
  const all = (status: number) => calls.map(() => status);
  expect(await answersTo(server.stranger())).toEqual(all(401));
  expect(await answersTo(new Client(server.origin, "no such token"))).toEqual(all(401));
  expect(await answersTo(new Client(server.origin, server.token(null, "read write follow push")))).toEqual(all(422));
  const others = ["read", "write", "push", "profile"].filter((other) => !scope.startsWith(other));
  expect(await answersTo(server.otherApp(who, others.join(" ")))).toEqual(all(403));
  for (const status of await answersTo(server.otherApp(who, scope))) expect([200, 404, 422]).toContain(status);
}
