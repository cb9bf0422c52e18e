import { expect } from "bun:test";
import { removeOldHosts, unreachable } from "../../src/federation/delivery/hosts.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server } = serverForEachTest();
const DAY = 24 * 3600_000;

const hosts = () => server.ctx.db.all<{ domain: string }>("SELECT domain FROM hosts").map(({ domain }) => domain);

inProcess("A host that was not used for months is forgotten, and an inbox that was given up as long ago", () => {
  const { ctx, clock } = server;
  ctx.db.transaction((tx) => {
    unreachable(ctx, tx, "old.example", null);
    tx.run("INSERT INTO missing_inboxes (url, since) VALUES ('https://old.example/inbox', $now)", { now: clock.now() });
  });
  clock.advance(80 * DAY);
  ctx.db.transaction((tx) => unreachable(ctx, tx, "new.example", null));
  clock.advance(11 * DAY);
  ctx.db.transaction((tx) => removeOldHosts(ctx, tx));
  expect(hosts()).toEqual(["new.example"]);
  expect(ctx.db.all("SELECT url FROM missing_inboxes")).toEqual([]);
});
