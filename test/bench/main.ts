/*
 * `bun run bench` compares the executable with a bare `Bun.serve` that returns the same bytes. Prints Markdown.
 *
 *     bun run bench [start] [answers] [files] [depth] [streams] [jobs] [federation] [neighbourhood] [import]
 *
 *     --quick          measures each row for one second instead of five
 *     --source         measures src/main.ts instead of dist/linnet
 *     --against FILE   compares the responses with those of another executable, such as that of an older version, in
 *                      turns, and measures nothing else; with the part "federation", it also compares the size
 *                      and the start of both
 *     --rows NAMES     measures only these groups of rows of the part "neighbourhood", separated by commas: threads,
 *                      outboxes, requested, relay, waves, deliveries, stored
 *
 * Without names it measures everything. The part "jobs" runs in this process, from source. The parts "federation",
 * "neighbourhood" and "import" have their own baselines and targets; they take some minutes, with --quick one or less.
 *
 * Linux only. The parts run one after the other, because the server and the load fill two cores.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { binary } from "../support/binary.ts";
import { SOURCE, type Command, type Running } from "../support/program.ts";
import { jobCosts } from "./jobs.ts";
import { machine, memory } from "./machine.ts";
import { responseTo, compare, pageTime, type Comparison, type Pace, type BenchRequest } from "./measure.ts";
import { createDataFolder, serve, type DataFolder } from "./data-folder.ts";
import { sideBySide } from "./side-by-side.ts";
import { loadAverage, measureFederation } from "./federation/federation.ts";
import { cells, HEAD, type Row } from "./federation/row.ts";
import { GROUPS, measureNeighbourhood } from "./neighbourhood/neighbourhood.ts";
import { measureImports } from "./imports/imports.ts";
import { coldStart } from "./start-up.ts";
import { measureStreams, IDLE } from "./streams.ts";
import { table } from "./table.ts";
import { word } from "./words.ts";

const STATUSES = 100_000;
const FEW = 10_000;
const MANY = 1_000_000;
/** Pages spread over the whole depth, enough of them to defeat the entity cache. */
const DEEP_PAGES = 500;
const TURNS = 5;
/** In bytes: a small picture and a photo. */
const FILE_SIZES = [20_000, 500_000];
const ANSWER_HEAD = [
  "16 connections",
  "requests/s",
  "p50 ms",
  "p99 ms",
  "CPU ms each",
  "KB",
  "bare requests/s",
  "of bare",
];

/** Two words each, in easy and hard combinations: common words are in many statuses, rare words in few. */
const SEARCHES = [
  ["two common words", word(3), word(5)],
  ["a common and a rare word", word(3), word(20_000)],
  ["two rare words, never together", word(30_001), word(30_002)],
  ["two words of medium frequency", word(400), word(700)],
] as const;

const PARTS = [
  "start",
  "answers",
  "files",
  "depth",
  "streams",
  "jobs",
  "federation",
  "neighbourhood",
  "import",
] as const;

const { values, positionals } = parseArgs({
  options: {
    quick: { type: "boolean" },
    source: { type: "boolean" },
    against: { type: "string" },
    rows: { type: "string" },
  },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !PARTS.some((part) => part === name));
if (unknown !== undefined) throw new Error(`There is no part "${unknown}". Parts: ${PARTS.join(", ")}`);
const groups = values.rows?.split(",") ?? [];
const unknownGroup = groups.find((name) => !GROUPS.some((group) => group === name));
if (unknownGroup !== undefined) throw new Error(`There are no rows "${unknownGroup}". Rows: ${GROUPS.join(", ")}`);
const isWanted = (...parts: (typeof PARTS)[number][]) =>
  positionals.length === 0 || parts.some((part) => positionals.includes(part));
/** A server runs for months. After ten seconds the engine has compiled the hot code. */
const pace: Pace = values.quick ? { warmUpSeconds: 0.5, seconds: 1 } : { warmUpSeconds: 10, seconds: 5 };
const root = mkdtempSync(join(tmpdir(), "linnet-bench-"));

try {
  const command = values.source ? SOURCE : await binary();
  console.log(`Measured on ${machine()}; ${values.source ? "from source" : "the executable"}.\n`);
  if (values.against !== undefined && !positionals.includes("federation"))
    await printComparison(resolve(values.against), command);
  else await printParts(command);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function printParts(command: Command): Promise<void> {
  if (isWanted("start", "answers")) {
    const data = await newDataFolder(command, STATUSES);
    if (isWanted("start")) await printStart(command, data);
    if (isWanted("answers")) await printAnswers(command, data);
  }
  if (isWanted("files")) await printFiles(command);
  if (isWanted("depth")) await printDepth(command);
  if (isWanted("streams")) await printStreams(command);
  if (isWanted("jobs")) await printJobs();
  if (isWanted("federation")) await printFederation(command);
  if (isWanted("neighbourhood")) {
    printRows(await measureNeighbourhood(command, root, { isQuick: values.quick === true, groups, report }));
  }
  if (isWanted("import")) await printImports(command);
}

async function printImports(command: Command): Promise<void> {
  printRows(await measureImports(command, root, { isQuick: values.quick === true, report }));
}

async function printComparison(older: string, newer: Command): Promise<void> {
  const folder = join(root, "compared");
  mkdirSync(folder);
  report(`Comparing with ${older}`);
  const requests = (token: string) => [...reads(token), posting(token, "full")];
  const rows = await sideBySide([[older], newer], folder, STATUSES, requests, pace);
  console.log(table(["CPU ms per response", "before", "after", "ratio"], rows));
}

async function newDataFolder(command: Command, count: number, name = String(count)): Promise<DataFolder> {
  report(`Writing ${count.toLocaleString("en")} statuses`);
  const folder = join(root, name);
  mkdirSync(folder);
  return createDataFolder(command, folder, count);
}

async function printStart(command: Command, data: DataFolder): Promise<void> {
  report("Starting");
  const rows: string[][] = [];
  for (const path of ["/health", "/api/v2/instance"]) {
    rows.push([`\`${path}\``, (await coldStart(command, data, path)).toFixed(0)]);
  }
  console.log(table(["First 200 response after process start", "ms"], rows));
}

async function printAnswers(command: Command, data: DataFolder): Promise<void> {
  const { token } = data;
  const server = await serve(command, data);
  await fetch(`${server.origin}/api/v2/instance`);
  const idle = memory(server.pid);
  const answers: Comparison[] = [];
  const ask = async (asked: typeof server, request: BenchRequest) => {
    report(`Requesting ${request.name}`);
    answers.push(await compare(asked, request, pace, root));
  };
  for (const request of reads(token)) await ask(server, request);
  await ask(server, posting(token, "full"));
  const loaded = memory(server.pid);
  await server.stop();
  const lenient = await serve(command, data, "normal");
  await ask(lenient, posting(token, "normal"));
  await lenient.stop();
  console.log(table(ANSWER_HEAD, answers.map(answerRow)));
  const rows = [
    ["idle, after one request", idle],
    ["after the load", loaded],
  ] as const;
  console.log(
    table(
      ["Memory", "MB"],
      rows.map(([when, megabytes]) => [when, megabytes.toFixed(0)]),
    ),
  );
}

/** Files as stored by uploads. The bare server has their bytes in memory. */
async function printFiles(command: Command): Promise<void> {
  const data = await newDataFolder(command, 0, "files");
  const server = await serve(command, data);
  const answers: Comparison[] = [];
  for (const size of FILE_SIZES) {
    const path = `attachments/ab/${"a".repeat(16)}${String(size).padStart(6, "0")}/original.jpg`;
    await Bun.write(join(data.folder, "media", path), new Uint8Array(size));
    report(`Requesting a file of ${size} bytes`);
    const request: BenchRequest = { name: `file of ${size / 1000} KB`, method: "GET", path: `/media/${path}` };
    answers.push(await compare(server, request, pace, root));
  }
  await server.stop();
  console.log(table(ANSWER_HEAD, answers.map(answerRow)));
}

function reads(token: string): BenchRequest[] {
  const get = (name: string, path: string) => ({ name, method: "GET", path, token }) as const;
  return [
    get("home timeline", "/api/v1/timelines/home"),
    get("public timeline", "/api/v1/timelines/public"),
    get("verify_credentials", "/api/v1/accounts/verify_credentials"),
    get("notifications", "/api/v1/notifications"),
    { name: "instance", method: "GET", path: "/api/v2/instance" },
  ];
}

function posting(token: string, synchronous: string): BenchRequest {
  // No link, because its preview would be fetched from the network.
  const status = "Good morning NUMBERS! The harbour is quiet, the bread is warm and there is no need to hurry. #topic1";
  // Apps send the language; otherwise the server would detect it.
  const body = JSON.stringify({ status, language: "en" });
  return { name: `posting, synchronous=${synchronous}`, method: "POST", path: "/api/v1/statuses", body, token };
}

function answerRow({ name, perSecond, p50, p99, processor, size, bare }: Comparison): string[] {
  return [
    name,
    perSecond.toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    processor.toFixed(3),
    (size / 1000).toFixed(1),
    bare.perSecond.toFixed(0),
    `1/${(bare.perSecond / perSecond).toFixed(1)}`,
  ];
}

/** Requests the same pages from small and large databases, alternating, because the speed of the machine varies. */
async function printDepth(command: Command): Promise<void> {
  const folders = [await newDataFolder(command, FEW), await newDataFolder(command, MANY)];
  const servers = await Promise.all(folders.map((data) => serve(command, data)));
  const asked = folders.map(pages);
  const rows = [];
  for (const [at, { name }] of asked[0]!.entries()) {
    report(`Requesting ${name}`);
    const times: number[][] = [[], []];
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [which, server] of servers.entries()) {
        times[which]!.push(await pageTime(server, asked[which]![at]!.requests, pace.seconds / TURNS));
      }
    }
    const [few, many] = times.map((each) => each.sort((a, b) => a - b)[TURNS >> 1]!) as [number, number];
    rows.push([name, few.toFixed(3), many.toFixed(3), (many / few).toFixed(2)]);
  }
  await servers[0]!.stop();
  console.log(table(["One connection, median ms", FEW.toLocaleString("en"), MANY.toLocaleString("en"), "ratio"], rows));
  const found = await searchTimes(servers[1]!, folders[1]!);
  await servers[1]!.stop();
  console.log(table([`Search of ${MANY.toLocaleString("en")}, one connection`, "found", "median ms"], found));
}

async function searchTimes(server: Running, { token }: DataFolder): Promise<string[][]> {
  const rows = [];
  for (const [name, ...words] of SEARCHES) {
    const path = `/api/v2/search?type=statuses&limit=40&q=${words.join("+")}`;
    report(`Searching for ${name}`);
    const request: BenchRequest = { name, method: "GET", path, token };
    const { statuses } = (await responseTo(server, request)) as { statuses: unknown[] };
    const time = await pageTime(server, [request], pace.seconds / TURNS);
    rows.push([name, String(statuses.length), time.toFixed(3)]);
  }
  return rows;
}

function pages({ token, oldest, newest }: DataFolder): { name: string; requests: BenchRequest[] }[] {
  const page = (path: string): BenchRequest => ({ name: path, method: "GET", path, token });
  const deep = Array.from({ length: DEEP_PAGES }, (_, n) => oldest + ((newest - oldest) * (n + 1)) / DEEP_PAGES);
  const publicPage = (maxId: number) => page(`/api/v1/timelines/public?max_id=${Math.round(maxId)}`);
  return [
    { name: "home timeline", requests: [page("/api/v1/timelines/home")] },
    { name: "list timeline", requests: [page("/api/v1/timelines/list/1")] },
    { name: "public timeline", requests: [page("/api/v1/timelines/public")] },
    { name: "public timeline, at any depth", requests: deep.map(publicPage) },
  ];
}

async function printStreams(command: Command): Promise<void> {
  const data = await newDataFolder(command, FEW, "streams");
  report("Opening streams");
  const [idle, delays] = await measureStreams(command, data, pace);
  const streams = idle.streams.toLocaleString("en");
  if (idle.streams < IDLE) report(`The system limits a process to ${streams} streams: raise "ulimit -n"`);
  console.log(
    table(
      [`${streams} idle event streams`, "KB each", "KB each, bare", "CPU ms a second"],
      [["no activity", kilobytes(idle.bytes), kilobytes(idle.bareBytes), idle.processor.toFixed(0)]],
    ),
  );
  console.log(
    table(
      ["With these open, from posting to receiving", "events/s", "p50 ms", "p99 ms", "longest ms"],
      [
        [
          "50 posts per second to 20 followers",
          delays.perSecond.toFixed(0),
          delays.p50.toFixed(2),
          delays.p99.toFixed(2),
          delays.longest.toFixed(2),
        ],
      ],
    ),
  );
}

async function printJobs(): Promise<void> {
  report("Running jobs");
  const head = ["1,000 jobs that do nothing, synchronous=full", "blocked ms", "longest stall ms", "µs each"];
  console.log(table(head, await jobCosts(root)));
}

async function printFederation(command: Command): Promise<void> {
  const older = values.against === undefined ? null : resolve(values.against);
  printRows(await measureFederation(command, root, { isQuick: values.quick === true, older, report }));
}

function printRows(rows: readonly Row[]): void {
  console.log(`Load average at the end: ${loadAverage()}.\n`);
  console.log(table(HEAD, rows.map(cells)));
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function report(what: string): void {
  process.stderr.write(`${what} …\n`);
}
