/*
 * Loaded into the server before its own code. Writes the longest delay of a timer, in ms, to a file that both processes
 * map into memory; the benchmark sets it to 0.
 */
const INTERVAL = 2;

const longest = new Float64Array(Bun.mmap(process.env.STALL_FILE!).buffer);
let due = performance.now() + INTERVAL;
setInterval(() => {
  const now = performance.now();
  longest[0] = Math.max(longest[0]!, now - due);
  due = now + INTERVAL;
}, INTERVAL).unref();
