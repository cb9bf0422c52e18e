import { Running, type Command } from "../support/program.ts";
import { environment, type DataFolder } from "./data-folder.ts";

const TIMES = 5;
const TIMEOUT = 10_000;

/** Milliseconds from the start of the process to the first 200 for `path`: the median of five. */
export async function coldStart(command: Command, data: DataFolder, path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n += 1) times.push(await startOnce(command, data, path));
  return times.sort((a, b) => a - b)[Math.floor(TIMES / 2)]!;
}

async function startOnce(command: Command, { folder }: DataFolder, path: string): Promise<number> {
  const port = freePort();
  const begin = performance.now();
  const starting = Running.start(command, { cwd: folder, env: environment(folder, "full", port) });
  try {
    while (!(await answers(`http://127.0.0.1:${port}${path}`))) {
      if (performance.now() - begin > TIMEOUT) throw new Error("The server doesn't start");
      await Bun.sleep(1);
    }
    return performance.now() - begin;
  } finally {
    await (await starting).stop();
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}
