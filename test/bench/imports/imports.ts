/*
 * An archive of posts and images, imported by the command and by the job of the settings page, beside a server. The
 * reference for the speed does as little as possible: it inserts the same rows, and makes the small versions of the images
 * with the same settings, one after the other, in one process.
 */
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { openMigrated } from "../../../src/db/migrate.ts";
import { createPerson, type Command, type Running } from "../../support/program.ts";
import { createDataFolder, environment, serve, type DataFolder } from "../data-folder.ts";
import { median, type Row } from "../federation/row.ts";
import { memory, memoryOfAll } from "../machine.ts";
import { rawRequest, runLoad } from "../measure.ts";
import { peakOf } from "../neighbourhood/catching-up.ts";
import { photos, writeArchive, type ArchiveSize } from "./archive.ts";

const STATUSES = 10_000;
const LEAST = 1 / 3;
const MOST = { memory: 150, command: 300, median: 1.25 };
/** The tables that have a row for each post or image. */
const TABLES = ["statuses", "status_tags", "imported_statuses", "media_attachments"];
/** The pixels and the quality of small images. */
const [SMALL_PIXELS, SMALL_QUALITY] = [230_400, 85];
/** A user looks at their timeline, and does not request it in a loop. In ms. */
const PAUSE = 10;
/** Between two looks at the memory of the command, in ms. */
const INTERVAL = 50;

interface Settings {
  isQuick: boolean;
  report(what: string): void;
}

export async function measureImports(command: Command, root: string, { isQuick, report }: Settings): Promise<Row[]> {
  const size = isQuick ? { posts: 2000, images: 100 } : { posts: 20_000, images: 2000 };
  const folder = join(root, "imports");
  mkdirSync(folder);
  report("Writing an archive");
  const pictures = await photos();
  const archive = join(root, "archive.zip");
  await writeArchive(archive, size, pictures);
  const data = await createDataFolder(command, folder, STATUSES);
  const surroundings = { cwd: folder, env: environment(folder) };
  for (const name of ["first", "second", "third"]) await createPerson(command, surroundings, name);
  const server = await serve(command, data);
  const bench = new ImportBench(command, server, data, archive, isQuick ? 1 : 5);
  try {
    await bench.home();
    report("Importing with the command");
    const rows = await bench.alone(size, "first", () => bareSeconds(folder, size, pictures));
    report("Importing with the command while the home timeline is requested");
    rows.push(await bench.homeBeside("the command", () => bench.runCommand("second")));
    report("Importing with the job while the home timeline is requested");
    rows.push(...(await bench.homeBesideJob("third")));
    return rows;
  } finally {
    await server.stop();
  }
}

class ImportBench {
  constructor(
    private readonly command: Command,
    private readonly server: Running,
    private readonly data: DataFolder,
    private readonly archive: string,
    private readonly seconds: number,
  ) {}

  /** The median of the home timeline, in ms. */
  async home(): Promise<number> {
    const request = rawRequest({ name: "", method: "GET", path: "/api/v1/timelines/home", token: this.data.token });
    const load = { requests: [request], connections: 1, warmUpSeconds: 0, seconds: this.seconds, pause: PAUSE };
    return (await runLoad(this.server.origin, load)).p50;
  }

  /** Runs the command. Returns its seconds, and the most memory that it had, in MB. */
  async runCommand(user: string): Promise<{ seconds: number; peak: number }> {
    const begun = performance.now();
    const child = Bun.spawn([...this.command, "import", "archive", this.archive, "--user", user], {
      cwd: this.data.folder,
      env: environment(this.data.folder),
      stdout: "ignore",
      stderr: "inherit",
    });
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, memoryOfAll(child.pid))), INTERVAL);
    const code = await child.exited.finally(() => clearInterval(timer));
    if (code !== 0) throw new Error("The import failed");
    return { seconds: (performance.now() - begun) / 1000, peak };
  }

  async alone(size: ArchiveSize, user: string, bare: () => Promise<number>): Promise<Row[]> {
    const { seconds, peak } = await this.runCommand(user);
    const reference = await bare();
    return [
      {
        part: `importing ${size.posts} posts and ${size.images} images`,
        figure: `${seconds.toFixed(1)} s`,
        processor: null,
        reference: `${reference.toFixed(1)} s: inserts and sharp`,
        ratio: reference / seconds,
        target: "≥ 1/3",
        isMet: reference / seconds >= LEAST,
      },
      memoryRow("memory of the command and its media processes", peak, 0, MOST.command),
    ];
  }

  /** The home timeline alone, and while an import runs. */
  async homeBeside(by: string, run: () => Promise<unknown>): Promise<Row> {
    const alone = await this.home();
    const running = run().then(() => null);
    const medians: number[] = [];
    for (let next = this.home(); (await Promise.race([running, next])) !== null; next = this.home()) {
      medians.push(await next);
    }
    if (medians.length === 0) throw new Error("The import was too fast");
    const beside = median(medians);
    const ratio = beside / alone;
    return {
      part: `home timeline while ${by} imports: median`,
      figure: `${beside.toFixed(2)} ms`,
      processor: null,
      reference: `${alone.toFixed(2)} ms`,
      ratio,
      target: `≤ ${MOST.median}`,
      isMet: ratio <= MOST.median,
    };
  }

  async homeBesideJob(user: string): Promise<Row[]> {
    const idle = memory(this.server.pid);
    const endPeak = peakOf(this.server.pid);
    const home = await this.homeBeside("the job", () => this.runJob(user));
    return [home, memoryRow("memory of the server meanwhile", endPeak(), idle, MOST.memory)];
  }

  /** The files that an upload in the settings leaves behind, until its job has ended. */
  private async runJob(user: string): Promise<void> {
    const db = new Database(join(this.data.folder, "linnet.db"), { strict: true });
    const uploads = join(this.data.folder, "imports", "uploads");
    mkdirSync(uploads, { recursive: true });
    copyFileSync(this.archive, join(uploads, "1"));
    db.run("PRAGMA busy_timeout = 10000");
    db.run(
      `INSERT INTO imports (id, account_id, kind, mode, state, file_name, created_at)
       SELECT 1, id, 'archive', 'merge', 'running', 'archive.zip', unixepoch() * 1000 FROM accounts WHERE username = ? AND domain IS NULL`,
      [user],
    );
    db.run(
      `INSERT INTO jobs (kind, lane, host, payload, run_at, created_at)
       VALUES ('import.archive', 'archives', '', '{"importId":1}', 0, 0)`,
    );
    const state = () => db.query<{ state: string }, []>("SELECT state FROM imports WHERE id = 1").get()!.state;
    while (state() === "running") await Bun.sleep(250);
    if (state() !== "finished") throw new Error("The import failed");
    db.close();
  }
}

function memoryRow(part: string, peak: number, idle: number, most: number): Row {
  const above = peak - idle;
  return {
    part,
    figure: `${peak.toFixed(0)} MB`,
    processor: null,
    reference: idle === 0 ? "" : `${idle.toFixed(0)} MB before`,
    ratio: null,
    target: `≤ ${most} MB${idle === 0 ? "" : " more"}`,
    isMet: above <= most,
  };
}

/** Inserts the rows of the import into an empty database, and makes small images. Returns the seconds. */
async function bareSeconds(folder: string, { images }: ArchiveSize, pictures: readonly Buffer[]): Promise<number> {
  const path = join(folder, "bare.db");
  openMigrated(path, "NORMAL").close();
  const db = new Database(path, { strict: true });
  db.run("PRAGMA foreign_keys = OFF");
  const source = new Database(join(folder, "linnet.db"), { readonly: true });
  const inserts = TABLES.map((table) => rowsOf(source, table));
  source.close();
  const begun = performance.now();
  db.transaction(() => {
    for (const { sql, rows } of inserts) {
      const statement = db.prepare(sql);
      for (const row of rows) statement.run(...row);
    }
  })();
  sharp.concurrency(1);
  for (let n = 0; n < images; n += 1) {
    const image = sharp(pictures[n % pictures.length]!);
    const { width, height } = await image.metadata();
    const scale = Math.sqrt(SMALL_PIXELS / (width * height));
    await image
      .resize(Math.round(width * scale), Math.round(height * scale))
      .jpeg({ quality: SMALL_QUALITY })
      .toBuffer();
  }
  db.close();
  return (performance.now() - begun) / 1000;
}

/** The rows that the first import has added. */
function rowsOf(db: Database, table: string): { sql: string; rows: SQLQueryBindings[][] } {
  const own = "(SELECT account_id FROM imported_statuses LIMIT 1)";
  const condition =
    table === "status_tags"
      ? `status_id IN (SELECT id FROM statuses WHERE account_id = ${own})`
      : `account_id = ${own}`;
  const rows = db.query(`SELECT * FROM ${table} WHERE ${condition}`).values() as SQLQueryBindings[][];
  return { sql: `INSERT INTO ${table} VALUES (${rows[0]!.map(() => "?").join(", ")})`, rows };
}
