import { expect } from "bun:test";
import { Client } from "./client.ts";
import type { TestServer } from "./server.ts";

export type Call = ["get" | "post" | "put" | "patch" | "delete", string, object?];

/**
 * Fails unless each of these is refused to strangers, to tokens that aren't any, to apps without a person and to tokens
 * without the scope, and reached with the scope alone, whatever is answered then.
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
