import { listJobs, retryAllJobs, retryJob } from "../../core/server/jobs.ts";
import { command, flag, word, type Parser } from "../command.ts";
import { iso, list, minute } from "../list.ts";
import { withData } from "../open.ts";
import { idFrom } from "../parsers.ts";

const idOrAll: Parser<number | "all"> = (given, name) => (given === "all" ? given : idFrom("job list")(given, name));

export const commands = {
  "job list": list({
    summary: "Lists background jobs that run, wait, or have failed",
    details: `A job that fails is tried again, each time later, and is failed after twelve attempts. It stays in the list until it
is retried.`,
    options: { failed: flag("only those that have failed") },
    find: (_, { failed }) => withData((ctx) => listJobs(ctx.db, failed)),
    empty: ({ failed }) => (failed ? "No job has failed." : "There are no jobs."),
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
    summary: "Runs a job again whose last attempt failed",
    details: "The running server does it within a second; otherwise the next start does.",
    words: { id: word('as listed, or "all" for every job whose last attempt failed', idOrAll) },
    run: ({ id }) => (id === "all" ? retryAll() : retryOne(id)),
  }),
};

async function retryOne(id: number): Promise<void> {
  await withData((ctx) => retryJob(ctx, id));
  console.log(`Job ${id} will run again.`);
}

async function retryAll(): Promise<void> {
  const count = await withData(retryAllJobs);
  console.log(count === 0 ? "No job has failed." : `${count} ${count === 1 ? "job" : "jobs"} will run again.`);
}
