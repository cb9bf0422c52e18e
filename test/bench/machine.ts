/* Linux's figures for the machine and for processes. */
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";

/** The kernel counts CPU time in ticks: 100 per second on every Linux. */
const MILLISECONDS_PER_TICK = 10;

export function machine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus()[0]!.model.trim()}, ${availableParallelism()} cores, ${memory} GiB, Linux, Bun ${Bun.version}`;
}

/** CPU milliseconds that a process has used so far, in user and kernel mode. */
export function processorTime(pid: number): number {
  return ticks(pid, 11);
}

/** The same of its child processes that have ended. */
export function childrenTime(pid: number): number {
  return ticks(pid, 13);
}

/** In ms: a field of proc(5), counted from the one after the name, and the next one. */
function ticks(pid: number, field: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain spaces. The field after it is number 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[field]) + Number(fields[field + 1])) * MILLISECONDS_PER_TICK;
}

/** Resident memory of a process in MB. */
export function memory(pid: number): number {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(resident?.[1]) / 1024;
}

/** Memory of a process and of all that it has started, in MB. What they share counts once. */
export function memoryOfAll(pid: number): number {
  try {
    const share = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + memoryOfAll(Number(child)), Number(share?.[1] ?? 0) / 1024);
  } catch {
    // It has just ended.
    return 0;
  }
}
