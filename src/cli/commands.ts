import type { Commands } from "./command.ts";

interface Noun {
  /** The heading under which `linnet --help` lists its commands. */
  group: string;
  /** Imports the file that declares the commands, so that a command loads only its own dependencies. */
  load(): Promise<Commands>;
}

/** Every noun with commands, which are declared in the file of that name. */
export const NOUNS: Record<string, Noun> = {
  serve: { group: "Server", load: async () => (await import("./commands/server/serve.ts")).commands },
  setup: { group: "Server", load: async () => (await import("./commands/server/setup.ts")).commands },
  backup: { group: "Server", load: async () => (await import("./backup/backup.ts")).commands },
  restore: { group: "Server", load: async () => (await import("./backup/restore.ts")).commands },
  move: { group: "Server", load: async () => (await import("./commands/server/move.ts")).commands },
  job: { group: "Server", load: async () => (await import("./commands/server/job.ts")).commands },
  media: { group: "Server", load: async () => (await import("./commands/server/media.ts")).commands },
  mail: { group: "Server", load: async () => (await import("./commands/server/mail.ts")).commands },
  version: { group: "Server", load: async () => (await import("./commands/server/version.ts")).commands },
  routes: { group: "Server", load: async () => (await import("./commands/server/routes.ts")).commands },
  user: { group: "Users and tokens", load: async () => (await import("./commands/people/user.ts")).commands },
  invite: { group: "Users and tokens", load: async () => (await import("./commands/people/invite.ts")).commands },
  account: { group: "Users and tokens", load: async () => (await import("./commands/people/account.ts")).commands },
  token: { group: "Users and tokens", load: async () => (await import("./commands/people/token.ts")).commands },
  import: { group: "Users and tokens", load: async () => (await import("./commands/people/import.ts")).commands },
  export: { group: "Users and tokens", load: async () => (await import("./commands/people/export.ts")).commands },
  rule: { group: "About the server", load: async () => (await import("./commands/about/rule.ts")).commands },
  page: { group: "About the server", load: async () => (await import("./commands/about/page.ts")).commands },
  terms: { group: "About the server", load: async () => (await import("./commands/about/terms.ts")).commands },
  picture: { group: "About the server", load: async () => (await import("./commands/about/picture.ts")).commands },
  emoji: { group: "About the server", load: async () => (await import("./commands/about/emoji.ts")).commands },
  announcement: {
    group: "About the server",
    load: async () => (await import("./commands/about/announcement.ts")).commands,
  },
  report: { group: "Moderation", load: async () => (await import("./commands/moderation/report.ts")).commands },
  moderate: { group: "Moderation", load: async () => (await import("./commands/moderation/moderate.ts")).commands },
  domain: { group: "Moderation", load: async () => (await import("./commands/moderation/domain.ts")).commands },
  trends: { group: "Moderation", load: async () => (await import("./commands/moderation/trends.ts")).commands },
  federation: { group: "Federation", load: async () => (await import("./commands/federation/federation.ts")).commands },
  peer: { group: "Federation", load: async () => (await import("./commands/federation/peer.ts")).commands },
  relay: { group: "Federation", load: async () => (await import("./commands/federation/relay.ts")).commands },
};
