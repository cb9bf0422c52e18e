import { run } from "./cli/run.ts";
import { PRUNE_PROCESS } from "./jobs/recurring/prune-elsewhere.ts";
import { MEDIA_PROCESS } from "./lib/media/media-processes.ts";

const args = process.argv.slice(2);
if (args[0] === MEDIA_PROCESS) await import("./lib/media/media-program.ts");
else if (args[0] === PRUNE_PROCESS) await import("./jobs/recurring/prune-program.ts");
else process.exitCode = await run(args);
