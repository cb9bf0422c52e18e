/** Milliseconds between two updates of the line. */
const INTERVAL = 100;

/** Shows the progress of a long command. The line that updates only appears on terminals. */
export class Progress {
  private shownAt = 0;

  constructor(private readonly out: NodeJS.WriteStream = process.stdout) {}

  /** Replaces the line that updates, unless it was replaced a moment ago. */
  update(text: () => string): void {
    if (Date.now() - this.shownAt >= INTERVAL) this.stage(text());
  }

  /** Replaces the line that updates, before a slow step. */
  stage(text: string): void {
    if (!this.out.isTTY) return;
    this.shownAt = Date.now();
    this.out.write(`\r\x1b[K${text} …`);
  }

  /** Prints a line that stays. */
  say(text: string): void {
    this.clear();
    this.out.write(`${text}\n`);
  }

  /** Removes the line that updates. */
  clear(): void {
    if (this.shownAt > 0) this.out.write("\r\x1b[K");
    this.shownAt = 0;
  }
}

/** `1.5 MB`. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
