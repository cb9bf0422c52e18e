/* What the system (Linux) tells of the machine and of a process. */
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";

/** Of the kernel's clock for processes: 100 a second on every Linux there is. */
const MILLISECONDS_PER_TICK = 10;

export function machine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus()[0]!.model.trim()}, ${availableParallelism()} cores, ${memory} GiB, Linux, Bun ${Bun.version}`;
}

/** Milliseconds of processor that a process has used so far, in its own code and in the system's. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in brackets, may hold spaces; after it the fields are numbered from 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
}

/** Megabytes of memory that a process occupies now. */
export function memory(pid: number): number {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(resident?.[1]) / 1024;
}
