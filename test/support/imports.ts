import { exportCsv } from "../../src/core/transfer/csv-export.ts";
import { importCsv } from "../../src/core/transfer/csv-import.ts";
import type { CsvKind } from "../../src/core/transfer/csv-kinds.ts";
import { type ImportMode, type ImportRow, importsOf } from "../../src/core/transfer/imports.ts";
import type { Client, Json } from "./client.ts";
import type { TestServer } from "./server.ts";

interface Given {
  name?: string;
  kind?: CsvKind | null;
  mode?: ImportMode;
}

/** Imports and exports the lists of a user. */
export class Transfer {
  constructor(
    private readonly server: () => TestServer,
    private readonly user: Client,
  ) {}

  private get accountId(): number {
    return Number(this.user.id);
  }

  /** Begins an import. Its jobs wait until they are drained. */
  begin(file: string | Uint8Array, { name = "file.csv", kind = null, mode = "merge" }: Given = {}): Promise<number> {
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
    return importCsv(this.server().ctx, { bytes, name }, { accountId: this.accountId, kind, mode });
  }

  /** Imports a file to its end, and returns the result. */
  async run(file: string | Uint8Array, given?: Given): Promise<ImportRow> {
    await this.begin(file, given);
    return this.finish();
  }

  /** Runs the slices of the latest import until it ends. */
  async finish(): Promise<ImportRow> {
    for (let slices = 0; slices < 100; slices++) {
      await this.server().drain();
      if (this.latest.ended_at !== null) return this.latest;
      this.server().clock.advance(100);
    }
    throw new Error("The import doesn't end.");
  }

  get latest(): ImportRow {
    return importsOf(this.server().ctx.db, this.accountId)[0]!;
  }

  /** The reasons of the rows that failed. */
  get reasons(): string[] {
    const sql = "SELECT error FROM import_rows WHERE import_id = $id AND error IS NOT NULL ORDER BY id";
    return this.server()
      .ctx.db.all<{ error: string }>(sql, { id: this.latest.id })
      .map(({ error }) => error);
  }

  /** The lines of an exported file. */
  async exported(kind: CsvKind): Promise<string[]> {
    const { text } = await exportCsv(this.server().ctx, this.accountId, kind);
    return text.split("\n").filter((line) => line !== "");
  }

  async exportedFilters(): Promise<Json[]> {
    const { text } = await exportCsv(this.server().ctx, this.accountId, "filters");
    return JSON.parse(text).custom_filters;
  }
}
