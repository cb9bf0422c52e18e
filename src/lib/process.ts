/* The memory of this process, and its end. */
import { dlopen } from "bun:ffi";
import { edenGC, fullGC } from "bun:jsc";

/** glibc's constant for `mallopt`, and the size from which a block is mapped separately, so that `free` returns it. */
const M_MMAP_THRESHOLD = -3;
const SEPARATE_FROM_BYTES = 256 * 1024;
/** Linux's constant for `prctl`: the signal that a process receives when its parent ends. */
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/**
 * Returns memory that native code has freed to the system. Otherwise glibc keeps what libvips used: after a few large
 * images, a server of 60 MB stays at 440 MB; with this call it shrinks to 80 MB (measured). Other C libraries return
 * memory on their own; there this does nothing.
 */
export function returnFreedMemory(): void {
  if (process.platform !== "linux") return;
  try {
    const libc = dlopen("libc.so.6", {
      mallopt: { args: ["int", "int"], returns: "int" },
      malloc_trim: { args: ["usize"], returns: "int" },
    });
    // By default glibc raises this threshold to the largest block it has freed, and soon maps no block separately.
    libc.symbols.mallopt(M_MMAP_THRESHOLD, SEPARATE_FROM_BYTES);
    libc.symbols.malloc_trim(0n);
    libc.close();
  } catch {
    // No glibc on this system.
  }
}

/** Returns a function that counts work, and calls `collect` when there was this much of it. */
function collectEvery(most: number, collect: () => void): (count: number) => void {
  let work = 0;
  return (count) => {
    work += count;
    if (work < most) return;
    work = 0;
    collect();
  };
}

/**
 * Counts jobs and activities, and collects their garbage, about 40 kB each, after every hundred. By itself, JavaScriptCore
 * waits until there is as much garbage as live memory, and a wave of 10,000 activities takes 30 to 56 MB instead of 9 to
 * 29 MB. A collection of young objects takes 1 to 2 ms. Those that are alive just then stay until a full one.
 */
export const collectAfter = collectEvery(100, () => {
  edenGC();
  collectAgedAfter(100);
});

/** In milliseconds. */
const WAVE = 10_000;
let lastDue = 0;

/**
 * A full collection takes 16 ms, and drops compiled code, too: the server sometimes stands still for 300 ms afterwards.
 * So only much work within ten seconds ends with one.
 */
function collectAged(): void {
  const now = performance.now();
  if (now - lastDue < WAVE) fullGC();
  lastDue = now;
}

const collectAgedAfter = collectEvery(5000, collectAged);

/** Counts the bytes of fetched documents, which outlive collections of young objects while their parts are stored. */
export const collectDocumentsAfter = collectEvery(4 * 1024 * 1024, collectAged);

/** Makes the kernel kill this process when its parent ends, even if this process is busy. Linux with glibc only. */
export function endWithParent(): void {
  if (process.platform !== "linux") return;
  try {
    const libc = dlopen("libc.so.6", { prctl: { args: ["int", "u64"], returns: "int" } });
    libc.symbols.prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL));
    libc.close();
  } catch {
    // No glibc on this system.
  }
}
