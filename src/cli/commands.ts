import type { Commands } from "./command.ts";

interface Noun {
  /** The heading under which `linnet --help` lists its commands. */
  group: string;
  /** Imports the file that declares the commands, so that a command loads only its own dependencies. */
  load(): Promise<Commands>;
}

/** Every noun with commands, which are declared in the file of that name. */
export const NOUNS: Record<string, Noun> = {
  serve: { group: "Server", load: async () => (await import("./commands/serve.ts")).commands },
  setup: { group: "Server", load: async () => (await import("./commands/setup.ts")).commands },
  backup: { group: "Server", load: async () => (await import("./backup/backup.ts")).commands },
  restore: { group: "Server", load: async () => (await import("./backup/restore.ts")).commands },
  job: { group: "Server", load: async () => (await import("./commands/job.ts")).commands },
  media: { group: "Server", load: async () => (await import("./commands/media.ts")).commands },
  version: { group: "Server", load: async () => (await import("./commands/version.ts")).commands },
  routes: { group: "Server", load: async () => (await import("./commands/routes.ts")).commands },
  user: { group: "Users and tokens", load: async () => (await import("./commands/user.ts")).commands },
  token: { group: "Users and tokens", load: async () => (await import("./commands/token.ts")).commands },
  rule: { group: "About the server", load: async () => (await import("./commands/rule.ts")).commands },
  page: { group: "About the server", load: async () => (await import("./commands/page.ts")).commands },
  terms: { group: "About the server", load: async () => (await import("./commands/terms.ts")).commands },
  picture: { group: "About the server", load: async () => (await import("./commands/picture.ts")).commands },
  emoji: { group: "About the server", load: async () => (await import("./commands/emoji.ts")).commands },
  announcement: { group: "About the server", load: async () => (await import("./commands/announcement.ts")).commands },
  report: { group: "Moderation", load: async () => (await import("./commands/report.ts")).commands },
  moderate: { group: "Moderation", load: async () => (await import("./commands/moderate.ts")).commands },
  domain: { group: "Moderation", load: async () => (await import("./commands/domain.ts")).commands },
  trends: { group: "Moderation", load: async () => (await import("./commands/trends.ts")).commands },
  federation: { group: "Federation", load: async () => (await import("./commands/federation.ts")).commands },
  peer: { group: "Federation", load: async () => (await import("./commands/peer.ts")).commands },
};
