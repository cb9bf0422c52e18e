import type { Commands } from "./command.ts";

interface Noun {
  /** The heading under which `linnet --help` lists its commands. */
  group: string;
  /** Loads the file that declares the commands, and with it what they need, but nothing that others need. */
  load(): Promise<Commands>;
}

/** Every noun with commands, which are declared in the file of that name. */
export const NOUNS: Record<string, Noun> = {
  serve: { group: "Server", load: async () => (await import("./serve.ts")).commands },
  setup: { group: "Server", load: async () => (await import("./setup.ts")).commands },
  backup: { group: "Server", load: async () => (await import("./backup.ts")).commands },
  restore: { group: "Server", load: async () => (await import("./restore.ts")).commands },
  job: { group: "Server", load: async () => (await import("./job.ts")).commands },
  version: { group: "Server", load: async () => (await import("./version.ts")).commands },
  routes: { group: "Server", load: async () => (await import("./routes.ts")).commands },
  user: { group: "Users and tokens", load: async () => (await import("./user.ts")).commands },
  token: { group: "Users and tokens", load: async () => (await import("./token.ts")).commands },
  rule: { group: "About the server", load: async () => (await import("./rule.ts")).commands },
  page: { group: "About the server", load: async () => (await import("./page.ts")).commands },
  terms: { group: "About the server", load: async () => (await import("./terms.ts")).commands },
  picture: { group: "About the server", load: async () => (await import("./picture.ts")).commands },
  emoji: { group: "About the server", load: async () => (await import("./emoji.ts")).commands },
  announcement: { group: "About the server", load: async () => (await import("./announcement.ts")).commands },
  report: { group: "Moderation", load: async () => (await import("./report.ts")).commands },
  moderate: { group: "Moderation", load: async () => (await import("./moderate.ts")).commands },
  domain: { group: "Moderation", load: async () => (await import("./domain.ts")).commands },
  trends: { group: "Moderation", load: async () => (await import("./trends.ts")).commands },
};
