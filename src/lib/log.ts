import { configureSync, getJsonLinesFormatter, getLogger, getTextFormatter, type Logger } from "@logtape/logtape";

export type { Logger };

/**
 * Sets up the log of this process: one line an event on standard error, so that standard output stays what a command
 * was asked for. What is logged are ids, paths without their query and durations: never a body, a header or a secret.
 */
export function openLog(level: "debug" | "info" | "warning" | "error", format: "text" | "json"): Logger {
  const formatter =
    format === "json"
      ? getJsonLinesFormatter({ properties: "flatten" })
      : getTextFormatter({ timestamp: "rfc3339", value: plain });
  const line = (record: Parameters<typeof formatter>[0]) => process.stderr.write(formatter(record));
  configureSync({
    reset: true,
    sinks: { line },
    loggers: [
      { category: "linnet", lowestLevel: level, sinks: ["line"] },
      { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["line"] },
    ],
  });
  return getLogger("linnet");
}

function plain(value: unknown, inspect: (value: unknown) => string): string {
  return typeof value === "string" ? value : inspect(value);
}
