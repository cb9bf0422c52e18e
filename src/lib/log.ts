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
 * Sets up this process's log: one line per event on standard error, so that standard output has only what a command
 * prints. The log contains ids, paths without their query, and durations, but never a body, a header or a secret.
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

/** Formats a message that bypasses the log like a line of the JSON log. */
export function jsonLine(level: LogLevel, message: string, properties: Record<string, unknown> = {}): string {
  const timestamp = Date.now();
  const record = { category: [CATEGORY], level, message: [message], rawMessage: message, timestamp, properties };
  return asJson(record).trimEnd();
}

/** The stack of an unexpected error, or its message if it has none. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Formats the message here, since the formatter would put quotes around strings in it. */
function jsonOf(record: LogRecord): string {
  const message = record.message.map((part, at) => (at % 2 === 0 ? part : plain(part, Bun.inspect))).join("");
  return asJson({ ...record, message: [message] });
}

function plain(value: unknown, inspect: (value: unknown) => string): string {
  return typeof value === "string" ? value : inspect(value);
}
