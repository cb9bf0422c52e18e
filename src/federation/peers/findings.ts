/** The result of a check: what was found and, unless all is well, what to do. */
export interface Finding {
  check: string;
  state: "OK" | "PROBLEM" | "UNKNOWN";
  text: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: "OK", text };
}

export function problem(check: string, text: string): Finding {
  return { check, state: "PROBLEM", text };
}

export function unknown(check: string, text: string): Finding {
  return { check, state: "UNKNOWN", text };
}

/** A response takes some seconds, and the strictest servers accept signatures that are half a minute old. */
const MAX_DIFFERENCE = 30_000;

/** `difference` is how far the other clock is ahead, in ms; null if the host doesn't say. */
export function clockFinding(difference: number | null): Finding {
  if (difference === null) return unknown("Clock", "It sends no Date header. Check the clock of this machine.");
  const seconds = Math.round(Math.abs(difference) / 1000);
  if (Math.abs(difference) <= MAX_DIFFERENCE) return ok("Clock", `It differs by ${seconds} seconds.`);
  const direction = difference > 0 ? "ahead of" : "behind";
  return problem(
    "Clock",
    `Its clock is ${seconds} seconds ${direction} this one, so signatures may be refused. Synchronise the clock of this machine by NTP; if it is right, tell the other owner.`,
  );
}

/** How far the clock of a response is ahead of this one, in ms; null if it has no date. */
export function differenceOf(headers: Headers, now: number): number | null {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? null : date - now;
}
