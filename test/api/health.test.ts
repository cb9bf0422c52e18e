import { expect, test } from "bun:test";
import { startServer } from "../support/server.ts";

test("GET /health reports that the server is running", async () => {
  const server = await startServer();
  const { status, json, headers } = await server.stranger().get("/health");
  expect([status, json]).toEqual([200, "OK"]);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  await server.stop();
});
