import {
  configureSync,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type Logger,
  type LogLevel,
  type LogRecord,
} from "@logtape/logtape";

export type { Logger };

const CATEGORY = "linnet";

const asText = getTextFormatter({ timestamp: "rfc3339", value: plain });
const asJson = getJsonLinesFormatter({ properties: "flatten" });

/**
 * Sets up the log of this process: one line for each event on standard error, so that standard output has only what a
 * command prints. The log has ids, paths without their query, and durations: never a body, a header or a secret.
 */
export function openLog(level: "debug" | "info" | "warning" | "error", format: "text" | "json"): Logger {
  const formatter = format === "json" ? jsonOf : asText;
  const line = (record: LogRecord) => void process.stderr.write(formatter(record));
  configureSync({
    reset: true,
    sinks: { line },
    loggers: [
      { category: CATEGORY, lowestLevel: level, sinks: ["line"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["line"] },
    ],
  });
  return getLogger(CATEGORY);
}

/** A message outside of the log, as a line like those of the log in JSON. */
export function jsonLine(level: LogLevel, message: string, properties: Record<string, unknown> = {}): string {
  const timestamp = Date.now();
  const record = { category: [CATEGORY], level, message: [message], rawMessage: message, timestamp, properties };
  return asJson(record).trimEnd();
}

/** An error that nobody foresaw, with where it came from. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The formatter would put quotes around strings within a message. */
function jsonOf(record: LogRecord): string {
  const message = record.message.map((part, at) => (at % 2 === 0 ? part : plain(part, Bun.inspect))).join("");
  return asJson({ ...record, message: [message] });
}

function plain(value: unknown, inspect: (value: unknown) => string): string {
  return typeof value === "string" ? value : inspect(value);
}
