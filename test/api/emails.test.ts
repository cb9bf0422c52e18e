import { expect, test } from "bun:test";
import { Client, type Answer } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice } = serverForAllTests(["alice"]);

const of = ({ status, json }: Answer) => [status, json];
const CONFIRM = "/api/v1/emails/confirmations";
const CHECK = "/api/v1/emails/check_confirmation";

test("The e-mail address of a user needs no confirmation, because this server sends no mail", async () => {
  expect(of(await alice.get(CHECK))).toEqual([200, true]);
  const refused = { error: "This method is only available while the e-mail is awaiting confirmation" };
  expect(of(await alice.post(CONFIRM))).toEqual([403, refused]);
  expect(of(await alice.post(CONFIRM, { email: "alice@mail.example" }))).toEqual([403, refused]);
});

test("Both methods need a user token with a suitable scope", async () => {
  for (const answer of [await server.stranger().get(CHECK), await server.stranger().post(CONFIRM)]) {
    expect(of(answer)).toEqual([401, { error: "The access token is invalid" }]);
  }
  const narrow = new Client(server.origin, server.token(1, "push"));
  for (const answer of [await narrow.get(CHECK), await narrow.post(CONFIRM)]) {
    expect(of(answer)).toEqual([403, { error: "This action is outside the authorized scopes" }]);
  }
  const app = new Client(server.origin, server.token(null, "read write"));
  for (const answer of [await app.get(CHECK), await app.post(CONFIRM)]) expect(answer.status).toBe(422);
});
