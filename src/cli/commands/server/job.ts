import { listJobs, retryAllJobs, retryJob } from "../../../core/server/jobs.ts";
import { command, flag, argument, type Parser } from "../../command.ts";
import { iso, list, minute } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { idFrom } from "../../parsers.ts";

const idOrAll: Parser<number | "all"> = (given, name) => (given === "all" ? given : idFrom("job list")(given, name));

export const commands = {
  "job list": list({
    summary: "Lists running, waiting and failed background jobs",
    details: `Linnet retries jobs with increasing delays. After twelve attempts a job has failed, and stays in the list until you
retry it.`,
    options: { failed: flag("lists only failed jobs") },
    find: (_, { failed }) => withData((ctx) => listJobs(ctx.db, failed)),
    empty: ({ failed }) => (failed ? "There are no failed jobs." : "There are no jobs."),
    columns: {
      ID: ({ id }) => id,
      KIND: ({ kind }) => kind,
      STATE: ({ state }) => state,
      ATTEMPTS: ({ attempts }) => attempts,
      "NEXT RUN": ({ state, run_at }) => minute(state === "pending" ? run_at : null),
      HOST: ({ host }) => host || "-",
      ERROR: ({ error }) => error ?? "-",
    },
    json: ({ id, kind, state, attempts, host, error, created_at, run_at }) => ({
      id: String(id),
      kind,
      state,
      attempts,
      next_run_at: iso(state === "pending" ? run_at : null),
      host: host || null,
      error,
      created_at: iso(created_at),
    }),
  }),
  "job retry": command({
    summary: "Retries a job whose last attempt failed",
    details: "A running server runs it within a second. Otherwise it runs at the next start.",
    args: { id: argument('an id from "linnet job list", or "all" for every job whose last attempt failed', idOrAll) },
    run: ({ id }) => (id === "all" ? retryAll() : retryOne(id)),
  }),
};

async function retryOne(id: number): Promise<void> {
  await withData((ctx) => retryJob(ctx, id));
  console.log(`Job ${id} will run again.`);
}

async function retryAll(): Promise<void> {
  const count = await withData(retryAllJobs);
  console.log(count === 0 ? "There are no failed jobs." : `${count} ${count === 1 ? "job" : "jobs"} will run again.`);
}
