import { afterEach, beforeEach, describe, expect } from "bun:test";
import { queueActivity } from "../../src/federation/inbox/incoming.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { pause } from "../../src/lib/pause.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, hostilePeerForEachTest, PUBLIC, statusId } from "../support/hostile-peer.ts";
import { followerWithInbox } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";

/* A server that stops while another one doesn't respond. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let worker: Worker;

beforeEach(() => void (worker = new Worker(alice.server.ctx)));
afterEach(() => worker.stop());

/** Answers no request until `resume()`. */
function hanging(answer: (request: Request) => Response) {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let isHanging = true;
  const serve = async (request: Request) => {
    if (isHanging) await isOver;
    return answer(request);
  };
  const resume = () => {
    isHanging = false;
    end();
  };
  return { serve, resume };
}

/** The timeout of the test limits the wait. It is shorter than that of a request. */
async function becomes(condition: () => boolean): Promise<void> {
  while (!condition()) await pause();
}

/** Lets the server run until the condition holds, and stops it. */
async function runUntil(condition: () => boolean): Promise<void> {
  worker = new Worker(alice.server.ctx);
  worker.start();
  await becomes(condition);
  await worker.stop();
}

const count = (sql: string) => alice.server.ctx.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)!.n;
const FAILED = "(SELECT 1 FROM jobs WHERE attempts > 0 UNION ALL SELECT 1 FROM hosts WHERE failures > 0)";

describe("A server that stops", () => {
  inProcess(
    "doesn't wait for a delivery, which is sent again after the next start, without those before it",
    async () => {
      const { serve, resume } = hanging(() => new Response(null, { status: 202 }));
      const inbox = followerWithInbox(alice.server, peer.origin("slow.test"), "rita", alice);
      await alice.publish("Hello");
      const types = () => peer.delivered.map(({ type }) => type);
      peer.serve(inbox, (request) => (types().length === 1 ? new Response(null, { status: 202 }) : serve(request)));
      await runUntil(() => types().length === 2);
      expect(count("deliveries")).toBe(1);
      expect(count(FAILED)).toBe(0);
      resume();
      await runUntil(() => count("deliveries") === 0);
      expect(types()).toEqual(["Accept", "Create", "Create"]);
    },
    8000,
  );

  inProcess(
    "doesn't wait for what an activity needs, which is fetched again after the next start",
    async () => {
      const bob = peer.account("bob", "good.test");
      await befriend(alice, bob);
      const note = peer.account("carol", "slow.test").note();
      const { serve, resume } = hanging(() =>
        Response.json(note, { headers: { "content-type": "application/activity+json" } }),
      );
      peer.serve(note.id, serve);
      const boost = bob.activity("Announce", note.id, { to: [PUBLIC] });
      await queueActivity(alice.server.ctx, { id: 0, uri: bob.uri, host: bob.domain }, boost.id, JSON.stringify(boost));
      await runUntil(() => peer.fetched("slow.test").length === 1);
      expect(count("incoming_activities WHERE attempts = 0")).toBe(1);
      expect(count(FAILED)).toBe(0);
      resume();
      await runUntil(() => count("incoming_activities") === 0);
      expect(statusId(alice.server, note.id)).not.toBeNull();
    },
    8000,
  );
});
