import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Running } from "../../support/program.ts";
import { processorTime } from "../machine.ts";
import type { Neighbourhood } from "./accounts.ts";
import type { Round, Sent } from "./bare-delivery.ts";
import { Child } from "./child.ts";
import { emptied } from "./intake.ts";
import { median, perSecond, type Row } from "./row.ts";
import type { Sink } from "./sinks.ts";

const LEAST = 0.6;

/** A post to all followers, beside a bare program that sends the same bytes to the same inboxes. */
export async function deliver(server: Running, data: Neighbourhood, sink: Sink, turns: number): Promise<Row> {
  const bare = Child.start("bare-delivery.ts");
  const ratios: number[] = [];
  const [ours, others]: [Sent[], Sent[]] = [[], []];
  const count = data.inboxes.length;
  // The first turn warms up.
  for (let turn = 0; turn <= turns; turn += 1) {
    const { body, ...sent } = await post(server, data, sink);
    const other = await bareRound(bare, data, sink, body);
    if (turn === 0) continue;
    ours.push(sent);
    others.push(other);
    ratios.push(other.milliseconds / sent.milliseconds);
  }
  await bare.stop();
  const rate = (rounds: Sent[]) => (1000 * count) / median(rounds.map(({ milliseconds }) => milliseconds));
  const ratio = median(ratios);
  return {
    part: `${count.toLocaleString("en")} inboxes, from the response to the last delivery`,
    figure: perSecond(rate(ours)),
    processor: median(ours.map(({ processor }) => processor)) / count,
    reference: `${perSecond(rate(others))}, ${(median(others.map(({ processor }) => processor)) / count).toFixed(3)} ms`,
    ratio,
    target: `≥ ${LEAST}`,
    isMet: ratio >= LEAST,
  };
}

/** Publishes a post. The time is that from the response to the last delivery. */
export async function post(server: Running, data: Neighbourhood, sink: Sink): Promise<Sent & { body: string }> {
  const received = sink.receive(data.inboxes.length);
  const used = processorTime(server.pid);
  const status = `Good morning! The harbour is quiet, the bread is warm. ${crypto.randomUUID()}`;
  const response = await fetch(`${server.origin}/api/v1/statuses`, {
    method: "POST",
    headers: { authorization: `Bearer ${data.token}`, "content-type": "application/json" },
    body: JSON.stringify({ status, language: "en" }),
  });
  if (!response.ok) throw new Error(`A post was refused: ${response.status} ${await response.text()}`);
  const answered = performance.timeOrigin + performance.now();
  const { at, body } = await received;
  const db = new Database(join(data.folder, "linnet.db"), { readonly: true });
  await emptied(db, "deliveries", 10);
  db.close();
  return { milliseconds: at - answered, processor: processorTime(server.pid) - used, body };
}

async function bareRound(bare: Child, data: Neighbourhood, sink: Sink, body: string): Promise<Sent> {
  const received = sink.receive(data.inboxes.length);
  const { keyId, key } = data.senders[0]!;
  const privateKey = key.export({ type: "pkcs8", format: "pem" }).toString();
  bare.tell({ inboxes: data.inboxes, body, keyId, privateKey } satisfies Round);
  const sent = await bare.hear<Sent>();
  await received;
  return sent;
}
