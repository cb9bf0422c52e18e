/*
 * `bun run bench`: how fast the executable is, beside a bare `Bun.serve` that returns the same bytes. Prints Markdown.
 *
 *     bun run bench [start] [answers] [files] [depth] [streams]
 *
 *     --quick    a second for each row instead of five
 *     --source   measures src/main.ts instead of dist/linnet
 *
 * Without a name it measures everything.
 *
 * Linux only. One thing runs at a time: the server, the load and nothing else fill two cores.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { binary } from "../support/binary.ts";
import { SOURCE, type Command, type Running } from "../support/program.ts";
import { machine, memory } from "./machine.ts";
import { answerTo, compare, pageTime, type Answer, type Pace, type Question } from "./measure.ts";
import { furnish, serve, type Place } from "./place.ts";
import { coldStart } from "./start-up.ts";
import { hearEvents, IDLE } from "./streams.ts";
import { table } from "./table.ts";
import { word } from "./words.ts";

const STATUSES = 100_000;
const FEW = 10_000;
const MANY = 1_000_000;
/** Pages spread over the whole depth: so many that what was rendered before is of no use. */
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

/** Two words each, as the index likes them and as it doesn't: common ones are in many statuses, rare ones in few. */
const SEARCHES = [
  ["two common words", word(3), word(5)],
  ["a common and a rare word", word(3), word(20_000)],
  ["two rare words, never together", word(30_001), word(30_002)],
  ["two words of medium frequency", word(400), word(700)],
] as const;

const PARTS = ["start", "answers", "files", "depth", "streams"] as const;

const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean" }, source: { type: "boolean" } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !PARTS.some((part) => part === name));
if (unknown !== undefined) throw new Error(`There is no part "${unknown}", but ${PARTS.join(", ")}`);
const isWanted = (...parts: (typeof PARTS)[number][]) =>
  positionals.length === 0 || parts.some((part) => positionals.includes(part));
/** A server runs for months: after ten seconds the engine has compiled what it does all the time. */
const pace: Pace = values.quick ? { warmUpSeconds: 0.5, seconds: 1 } : { warmUpSeconds: 10, seconds: 5 };
const root = mkdtempSync(join(tmpdir(), "linnet-bench-"));

try {
  const command = values.source ? SOURCE : await binary();
  console.log(`Measured on ${machine()}; ${values.source ? "from source" : "the executable"}.\n`);
  if (isWanted("start", "answers")) {
    const place = await newPlace(command, STATUSES);
    if (isWanted("start")) await printStart(command, place);
    if (isWanted("answers")) await printAnswers(command, place);
  }
  if (isWanted("files")) await printFiles(command);
  if (isWanted("depth")) await printDepth(command);
  if (isWanted("streams")) await printStreams(command);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function newPlace(command: Command, count: number, name = String(count)): Promise<Place> {
  say(`Writing ${count.toLocaleString("en")} statuses`);
  const folder = join(root, name);
  mkdirSync(folder);
  return furnish(command, folder, count);
}

async function printStart(command: Command, place: Place): Promise<void> {
  say("Starting");
  const rows: string[][] = [];
  for (const path of ["/health", "/api/v2/instance"]) {
    rows.push([`\`${path}\``, (await coldStart(command, place, path)).toFixed(0)]);
  }
  console.log(table(["First 200 response after process start", "ms"], rows));
}

async function printAnswers(command: Command, place: Place): Promise<void> {
  const { token } = place;
  const server = await serve(command, place);
  await fetch(`${server.origin}/api/v2/instance`);
  const idle = memory(server.pid);
  const answers: Answer[] = [];
  const ask = async (asked: typeof server, question: Question) => {
    say(`Asking for ${question.name}`);
    answers.push(await compare(asked, question, pace, root));
  };
  for (const question of readings(token)) await ask(server, question);
  await ask(server, posting(token, "full"));
  const loaded = memory(server.pid);
  await server.stop();
  const lenient = await serve(command, place, "normal");
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

/** Files as uploads leave them. The bare server has their bytes in memory. */
async function printFiles(command: Command): Promise<void> {
  const place = await newPlace(command, 0, "files");
  const server = await serve(command, place);
  const answers: Answer[] = [];
  for (const size of FILE_SIZES) {
    const path = `attachments/ab/${"a".repeat(16)}${String(size).padStart(6, "0")}/original.jpg`;
    await Bun.write(join(place.folder, "media", path), new Uint8Array(size));
    say(`Asking for a file of ${size} bytes`);
    const question: Question = { name: `file of ${size / 1000} KB`, method: "GET", path: `/media/${path}` };
    answers.push(await compare(server, question, pace, root));
  }
  await server.stop();
  console.log(table(ANSWER_HEAD, answers.map(answerRow)));
}

function readings(token: string): Question[] {
  const get = (name: string, path: string) => ({ name, method: "GET", path, token }) as const;
  return [
    get("home timeline", "/api/v1/timelines/home"),
    get("public timeline", "/api/v1/timelines/public"),
    get("verify_credentials", "/api/v1/accounts/verify_credentials"),
    get("notifications", "/api/v1/notifications"),
    { name: "instance", method: "GET", path: "/api/v2/instance" },
  ];
}

function posting(token: string, synchronous: string): Question {
  // Without a link: its preview would be fetched from the network.
  const status = "Good morning NUMBERS! The harbour is quiet, the bread is warm and there is no need to hurry. #topic1";
  // Apps name the language; else it would have to be found out.
  const body = JSON.stringify({ status, language: "en" });
  return { name: `posting, synchronous=${synchronous}`, method: "POST", path: "/api/v1/statuses", body, token };
}

function answerRow({ name, perSecond, p50, p99, processor, size, bare }: Answer): string[] {
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

/** The same pages over few and over many statuses, which should take the same time; in turns, as the machine has moods. */
async function printDepth(command: Command): Promise<void> {
  const places = [await newPlace(command, FEW), await newPlace(command, MANY)];
  const servers = await Promise.all(places.map((place) => serve(command, place)));
  const asked = places.map(pages);
  const rows = [];
  for (const [at, { name }] of asked[0]!.entries()) {
    say(`Asking for ${name}`);
    const times: number[][] = [[], []];
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [which, server] of servers.entries()) {
        times[which]!.push(await pageTime(server, asked[which]![at]!.questions, pace.seconds / TURNS));
      }
    }
    const [few, many] = times.map((each) => each.sort((a, b) => a - b)[TURNS >> 1]!) as [number, number];
    rows.push([name, few.toFixed(3), many.toFixed(3), (many / few).toFixed(2)]);
  }
  await servers[0]!.stop();
  console.log(table(["One connection, median ms", FEW.toLocaleString("en"), MANY.toLocaleString("en"), "ratio"], rows));
  const found = await searchTimes(servers[1]!, places[1]!);
  await servers[1]!.stop();
  console.log(table([`Search of ${MANY.toLocaleString("en")}, one connection`, "found", "median ms"], found));
}

async function searchTimes(server: Running, { token }: Place): Promise<string[][]> {
  const rows = [];
  for (const [name, ...words] of SEARCHES) {
    const path = `/api/v2/search?type=statuses&limit=40&q=${words.join("+")}`;
    say(`Searching for ${name}`);
    const question: Question = { name, method: "GET", path, token };
    const { statuses } = (await answerTo(server, question)) as { statuses: unknown[] };
    const time = await pageTime(server, [question], pace.seconds / TURNS);
    rows.push([name, String(statuses.length), time.toFixed(3)]);
  }
  return rows;
}

function pages({ token, oldest, newest }: Place): { name: string; questions: Question[] }[] {
  const page = (path: string): Question => ({ name: path, method: "GET", path, token });
  const deep = Array.from({ length: DEEP_PAGES }, (_, n) => oldest + ((newest - oldest) * (n + 1)) / DEEP_PAGES);
  const publicPage = (maxId: number) => page(`/api/v1/timelines/public?max_id=${Math.round(maxId)}`);
  return [
    { name: "home timeline", questions: [page("/api/v1/timelines/home")] },
    { name: "list timeline", questions: [page("/api/v1/timelines/list/1")] },
    { name: "public timeline", questions: [page("/api/v1/timelines/public")] },
    { name: "public timeline, anywhere in its depth", questions: deep.map(publicPage) },
  ];
}

async function printStreams(command: Command): Promise<void> {
  const place = await newPlace(command, FEW, "streams");
  say("Opening streams");
  const [idle, delays] = await hearEvents(command, place, pace);
  const streams = idle.streams.toLocaleString("en");
  if (idle.streams < IDLE) say(`The system lets a process open no more than ${streams} streams: raise "ulimit -n"`);
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

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function say(what: string): void {
  process.stderr.write(`${what} …\n`);
}
