import { measureRuns, microseconds, type Run } from "../jobs.ts";
import type { Row } from "./row.ts";

const COUNT = 10_000;
const MOST = 2;

/** Jobs of two lanes, alone and beside deliveries that wait: for their turn, or for hosts that are down. */
const PAIRS: [part: string, alone: Run, beside: Run][] = [
  pair("another job", "poll.close", true),
  pair("a delivery to another host", "delivery.send", false),
];

function pair(name: string, kind: Run["kind"], areDue: boolean): [string, Run, Run] {
  const waiting = { kind: "delivery.send", count: COUNT, areDue } as const;
  return [`${COUNT.toLocaleString("en")} waiting deliveries: finding ${name}`, { name, kind }, { name, kind, waiting }];
}

/** The time that a worker needs for a job that does nothing, without and with thousands of deliveries that wait. */
export async function waitingRows(root: string): Promise<Row[]> {
  const runs = PAIRS.flatMap(([, alone, beside]) => [alone, beside]);
  const costs = (await measureRuns(root, runs)).map(microseconds);
  return PAIRS.map(([part], at) => {
    const [alone, beside] = [costs[2 * at]!, costs[2 * at + 1]!];
    const ratio = beside / alone;
    return {
      part,
      figure: `${beside.toFixed(0)} µs`,
      processor: null,
      reference: `${alone.toFixed(0)} µs`,
      ratio,
      target: `≤ ${MOST}`,
      isMet: ratio <= MOST,
    };
  });
}
