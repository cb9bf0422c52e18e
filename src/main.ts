import { run } from "./cli/run.ts";
import { MEDIA_PROCESS } from "./lib/media/media-processes.ts";

const args = process.argv.slice(2);
if (args[0] === MEDIA_PROCESS) await import("./lib/media/media-program.ts");
else process.exitCode = await run(args);
