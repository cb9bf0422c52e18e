import { dlopen } from "bun:ffi";

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
