import { run } from "./cli/run.ts";
import { MERGE_PROCESS } from "./jobs/recurring/search-merging.ts";
import { MEDIA_PROCESS } from "./lib/media/media-processes.ts";

const args = process.argv.slice(2);
if (args[0] === MEDIA_PROCESS) await import("./lib/media/media-program.ts");
else if (args[0] === MERGE_PROCESS) await import("./jobs/recurring/search-merge-program.ts");
else process.exitCode = await run(args);
