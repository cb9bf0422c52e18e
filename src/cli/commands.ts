/** What a command is asked to do; resolves when it is done. */
export type Run = (args: string[]) => void | Promise<void>;

export interface Command {
  usage: string;
  summary: string;
  /** More lines of help: options, and what is printed. */
  details?: string;
  /** Loads what the command needs, and nothing that another one needs. */
  load(): Promise<Run>;
}

const MODERATION = `ACCT is a handle: name, or name@domain for people elsewhere.
  --text TEXT            what the person is told
  --report ID            the report that is answered; the posts it names are told too`;

/** Under which heading "linnet --help" lists the commands that begin so. */
export const GROUPS: Record<string, string> = {
  serve: "The server",
  setup: "The server",
  backup: "The server",
  version: "The server",
  routes: "The server",
  user: "People and their apps",
  token: "People and their apps",
  rule: "What the server says of itself",
  page: "What the server says of itself",
  terms: "What the server says of itself",
  picture: "What the server says of itself",
  emoji: "What the server says of itself",
  announcement: "What the server says of itself",
  report: "Keeping the peace",
  moderate: "Keeping the peace",
  domain: "Keeping the peace",
  trends: "Keeping the peace",
};

export const COMMANDS: Record<string, Command> = {
  serve: {
    usage: "linnet serve",
    summary: "Starts the server; so does linnet without a command",
    details: `Settings come from the environment and from .env, and are listed in the README. While the server has no owner,
a link for setting it up is printed at every start. Stops on Ctrl+C or SIGTERM, after what is being done.`,
    load: async () => (await import("./serve.ts")).serve,
  },
  setup: {
    usage: 'linnet setup [--name NAME --password-stdin [--display-name "TEXT"]]',
    summary: "Makes the account that owns the server",
    details: `Asks for a name and a password, or takes them from the options:
  --name NAME            letters, numbers and underscores
  --display-name TEXT    as others see it
  --password-stdin       reads the password from standard input`,
    load: async () => (await import("./setup.ts")).setup,
  },
  backup: {
    usage: "linnet backup FILE",
    summary: "Copies the database into a file, while the server runs or not",
    details: `The uploads are files of their own: copy the folder media of the data folder afterwards. To restore, put both into an
empty data folder, the copy as linnet.db.`,
    load: async () => (await import("./backup.ts")).backup,
  },
  version: {
    usage: "linnet version",
    summary: "Prints the version",
    load: async () => (await import("./version.ts")).printVersion,
  },
  routes: {
    usage: "linnet routes",
    summary: "Lists every route of the server",
    load: async () => (await import("./routes.ts")).listRoutes,
  },
  "user create": {
    usage: "linnet user create NAME [--email E] [--password-stdin] [--role owner|admin|moderator|user]",
    summary: "Makes a user",
    details: `The first one becomes the owner unless a role is given, all others become users.
  --email E              an address to sign in with, besides the name
  --password-stdin       reads the password from standard input; otherwise one is made, and is the last line printed
  --role ROLE            owner, admin, moderator or user`,
    load: async () => (await import("./user.ts")).createUserCommand,
  },
  "user list": {
    usage: "linnet user list",
    summary: "Lists the users, and who waits to be one",
    details: `A line each: name, role, since when, e-mail address, and why those who wait want to be here.`,
    load: async () => (await import("./user.ts")).listUsersCommand,
  },
  "user approve": {
    usage: "linnet user approve NAME",
    summary: "Lets in somebody who signed up and waits",
    load: async () => (await import("./user.ts")).approveUserCommand,
  },
  "user reject": {
    usage: "linnet user reject NAME",
    summary: "Turns away somebody who signed up and waits, and forgets them",
    load: async () => (await import("./user.ts")).rejectUserCommand,
  },
  "user reset-password": {
    usage: "linnet user reset-password NAME [--password-stdin]",
    summary: "Sets a new password, and signs the user out of every browser",
    details: `  --password-stdin       reads the password from standard input; otherwise one is made, and is the last line printed`,
    load: async () => (await import("./user.ts")).resetPasswordCommand,
  },
  "user rebuild-home": {
    usage: "linnet user rebuild-home NAME",
    summary: "Has somebody's home timeline made anew from what they follow",
    details: `What doesn't belong there any more is removed, and what is missing of the newest is put in. The running server does
it; until it is done the timeline is answered with 206 and what is there.`,
    load: async () => (await import("./user.ts")).rebuildHomeCommand,
  },
  "token create": {
    usage: 'linnet token create NAME --scopes "read write follow push"',
    summary: "Makes an access token of a user, for scripts, and prints it",
    details: `  --scopes SCOPES        what the token may do, as in Mastodon's API, with spaces between`,
    load: async () => (await import("./token.ts")).createTokenCommand,
  },
  "token list": {
    usage: "linnet token list NAME",
    summary: "Lists which apps and scripts act for a user",
    details: `A line each: id, since when, last used, app, and what it may do.`,
    load: async () => (await import("./token.ts")).listTokensCommand,
  },
  "token revoke": {
    usage: "linnet token revoke ID",
    summary: "Takes a token back",
    load: async () => (await import("./token.ts")).revokeTokenCommand,
  },
  "rule add": {
    usage: "linnet rule add TEXT [--hint TEXT]",
    summary: "Adds a rule of the server, for apps to show and reports to name",
    details: `  --hint TEXT            more about it, shown beneath`,
    load: async () => (await import("./rule.ts")).addRuleCommand,
  },
  "rule list": {
    usage: "linnet rule list",
    summary: "Lists the rules in their order",
    details: `The id and the text of each, and beneath them its hint and its translations.`,
    load: async () => (await import("./rule.ts")).listRulesCommand,
  },
  "rule edit": {
    usage: "linnet rule edit ID [--text TEXT] [--hint TEXT] [--place N]",
    summary: "Changes what a rule says, or its place among the others",
    details: `  --text TEXT            what it says
  --hint TEXT            more about it; an empty one takes the hint away
  --place N              its place among the rules, from 1`,
    load: async () => (await import("./rule.ts")).editRuleCommand,
  },
  "rule translate": {
    usage: "linnet rule translate ID LOCALE TEXT [--hint TEXT]",
    summary: "Says a rule in another language",
    details: `LOCALE is a code such as de or pt-BR. An empty TEXT takes the translation away.
  --hint TEXT            the hint in that language`,
    load: async () => (await import("./rule.ts")).translateRuleCommand,
  },
  "rule remove": {
    usage: "linnet rule remove ID",
    summary: "Takes a rule away; reports that name it keep it",
    load: async () => (await import("./rule.ts")).removeRuleCommand,
  },
  "page set": {
    usage: "linnet page set NAME FILE",
    summary: "Sets a text about the server, for apps, /about and /privacy-policy",
    details: `NAME is extended-description or privacy-policy. FILE holds Markdown; - stands for standard input. Where it says
%{domain}, the server's own is shown.`,
    load: async () => (await import("./page.ts")).setPageCommand,
  },
  "page show": {
    usage: "linnet page show NAME",
    summary: "Prints such a text, as it was written",
    details: `NAME is extended-description or privacy-policy. Where you have written no privacy policy, it is what Linnet says.`,
    load: async () => (await import("./page.ts")).showPageCommand,
  },
  "page remove": {
    usage: "linnet page remove NAME",
    summary: "Takes such a text away again",
    details: "NAME is extended-description or privacy-policy.",
    load: async () => (await import("./page.ts")).removePageCommand,
  },
  "terms publish": {
    usage: "linnet terms publish FILE [--effective-date YYYY-MM-DD]",
    summary: "Publishes terms of service, which hold from today or from a later day on",
    details: `FILE holds Markdown; - stands for standard input. Those before stay readable, by their day.
  --effective-date DAY   the day from which they hold (UTC); today without it`,
    load: async () => (await import("./page.ts")).publishTermsCommand,
  },
  "terms list": {
    usage: "linnet terms list",
    summary: "Lists the days from which terms of service hold",
    load: async () => (await import("./page.ts")).listTermsCommand,
  },
  "terms remove": {
    usage: "linnet terms remove DATE",
    summary: "Takes the terms of service of a day away again",
    load: async () => (await import("./page.ts")).removeTermsCommand,
  },
  "picture set": {
    usage: "linnet picture set NAME FILE [--description TEXT]",
    summary: "Sets the picture by which apps show the server, or its icon",
    details: `NAME is thumbnail (cut to 1200x630) or icon (cut to a square).
  --description TEXT     what a thumbnail shows, for people who don't see it`,
    load: async () => (await import("./picture.ts")).setPictureCommand,
  },
  "picture remove": {
    usage: "linnet picture remove NAME",
    summary: "Takes such a picture away again",
    details: "NAME is thumbnail or icon.",
    load: async () => (await import("./picture.ts")).removePictureCommand,
  },
  "emoji add": {
    usage: "linnet emoji add SHORTCODE FILE [--category NAME] [--hidden]",
    summary: "Adds an emoji of the server's own, or replaces the one that is called so",
    details: `SHORTCODE is what people write between colons. FILE is a PNG, GIF or WebP of at most 256 KB.
  --category NAME        under which apps show it
  --hidden               works in texts, but apps don't offer it`,
    load: async () => (await import("./emoji.ts")).addEmojiCommand,
  },
  "emoji import": {
    usage: "linnet emoji import FOLDER [--category NAME] [--hidden]",
    summary: "Adds every picture of a folder as an emoji",
    details: `The file's name is the shortcode. Emoji that are called so are replaced. What can't be taken is named, and the rest is taken all the same.
  --category NAME        under which apps show them
  --hidden               they work in texts, but apps don't offer them`,
    load: async () => (await import("./emoji.ts")).importEmojisCommand,
  },
  "emoji list": {
    usage: "linnet emoji list",
    summary: "Lists the server's own emoji",
    details: `A line each: shortcode, whether apps offer it, and category.`,
    load: async () => (await import("./emoji.ts")).listEmojisCommand,
  },
  "emoji remove": {
    usage: "linnet emoji remove SHORTCODE",
    summary: "Removes an emoji; texts that use it show its shortcode",
    load: async () => (await import("./emoji.ts")).removeEmojiCommand,
  },
  "announcement create": {
    usage: "linnet announcement create TEXT [--starts-at TIME] [--ends-at TIME] [--all-day] [--publish-at TIME]",
    summary: "Tells everybody here something, in their apps",
    details: `A TIME is like 2026-12-24T18:00Z, or a date; in UTC unless it says another zone.
  --starts-at TIME       when what it speaks of begins
  --ends-at TIME         when that is over; then nobody is shown the announcement any more
  --all-day              the days alone count, not the hours
  --publish-at TIME      when it is shown; at once without it`,
    load: async () => (await import("./announcement.ts")).createAnnouncementCommand,
  },
  "announcement list": {
    usage: "linnet announcement list",
    summary: "Lists the announcements, with what is over",
    details: `A line each: id, "waiting", "shown" or "over", since or from when, and the text; beneath it the time it speaks of.`,
    load: async () => (await import("./announcement.ts")).listAnnouncementsCommand,
  },
  "announcement edit": {
    usage:
      "linnet announcement edit ID [--text TEXT] [--starts-at TIME] [--ends-at TIME] [--all-day] [--publish-at TIME]",
    summary: "Changes an announcement, for everyone who sees it",
    details: `Takes what "linnet announcement create" takes; what isn't given stays.
  --text TEXT            what it says
  --starts-at ""         it begins at no time; --ends-at "" likewise
  --not-all-day          the hours count again`,
    load: async () => (await import("./announcement.ts")).editAnnouncementCommand,
  },
  "announcement delete": {
    usage: "linnet announcement delete ID",
    summary: "Deletes an announcement, with its reactions",
    load: async () => (await import("./announcement.ts")).deleteAnnouncementCommand,
  },
  "report list": {
    usage: "linnet report list [--all]",
    summary: "Lists the reports that are open, the newest first",
    details: `A line each: id, day, state, category, whom it is about and who made it.
  --all                  those that are resolved, too`,
    load: async () => (await import("./report.ts")).listReportsCommand,
  },
  "report show": {
    usage: "linnet report show ID",
    summary: "Shows a report with its comment, the rules it names and the posts it is about",
    load: async () => (await import("./report.ts")).showReportCommand,
  },
  "report resolve": {
    usage: "linnet report resolve ID",
    summary: "Closes a report that needs nothing more",
    load: async () => (await import("./report.ts")).resolveReportCommand,
  },
  "report reopen": {
    usage: "linnet report reopen ID",
    summary: "Opens a report again",
    load: async () => (await import("./report.ts")).reopenReportCommand,
  },
  "moderate warn": {
    usage: "linnet moderate warn ACCT --text TEXT [--report ID]",
    summary: "Sends somebody of this server a warning, and does nothing else",
    details: MODERATION,
    load: async () => (await import("./moderate.ts")).moderateCommand("none"),
  },
  "moderate limit": {
    usage: "linnet moderate limit ACCT [--text TEXT] [--report ID]",
    summary: "Keeps somebody out of public timelines, trends, directory and suggestions",
    details: `Whom they ask to follow must agree, and who doesn't follow them finds their notifications among those held back.

${MODERATION}`,
    load: async () => (await import("./moderate.ts")).moderateCommand("silence"),
  },
  "moderate unlimit": {
    usage: "linnet moderate unlimit ACCT",
    summary: "Lets somebody stand in public timelines again",
    load: async () => (await import("./moderate.ts")).liftCommand("silence"),
  },
  "moderate sensitive": {
    usage: "linnet moderate sensitive ACCT [--text TEXT] [--report ID]",
    summary: "Marks the media of somebody as sensitive, those to come too",
    details: MODERATION,
    load: async () => (await import("./moderate.ts")).moderateCommand("sensitive"),
  },
  "moderate unsensitive": {
    usage: "linnet moderate unsensitive ACCT",
    summary: "Shows the media of somebody as they mark them themselves",
    load: async () => (await import("./moderate.ts")).liftCommand("sensitive"),
  },
  "moderate freeze": {
    usage: "linnet moderate freeze ACCT [--text TEXT] [--report ID]",
    summary: "Keeps somebody of this server out, and their apps; what they wrote stays",
    details: MODERATION,
    load: async () => (await import("./moderate.ts")).moderateCommand("disable"),
  },
  "moderate unfreeze": {
    usage: "linnet moderate unfreeze ACCT",
    summary: "Lets somebody sign in again, and their apps in",
    load: async () => (await import("./moderate.ts")).liftCommand("disable"),
  },
  "moderate suspend": {
    usage: "linnet moderate suspend ACCT [--text TEXT] [--report ID]",
    summary: "Hides somebody with all they wrote, and shuts them out",
    details: `Nothing is deleted. With somebody of another server follows end for good, and people here who lose one are told.

${MODERATION}`,
    load: async () => (await import("./moderate.ts")).moderateCommand("suspend"),
  },
  "moderate unsuspend": {
    usage: "linnet moderate unsuspend ACCT",
    summary: "Brings somebody back with all they wrote",
    load: async () => (await import("./moderate.ts")).liftCommand("suspend"),
  },
  "domain block": {
    usage: "linnet domain block DOMAIN [--severity suspend|silence|noop] [--comment TEXT] [--note TEXT] [--obfuscate]",
    summary: "Blocks a domain and those below it for everybody here, or changes its block",
    details: `Who is suspended with a domain loses all follows with people here for good; they are told how many they lost.
  --severity SEVERITY    suspend (unless said otherwise) or silence everybody there, or noop
  --comment TEXT         why, for those who may read the list (LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE)
  --note TEXT            why, for your own eyes
  --obfuscate            the list shows the domain with stars in it`,
    load: async () => (await import("./domain.ts")).blockDomainCommand,
  },
  "domain unblock": {
    usage: "linnet domain unblock DOMAIN",
    summary: "Ends a block, and what it did to accounts",
    load: async () => (await import("./domain.ts")).unblockDomainCommand,
  },
  "domain allow": {
    usage: "linnet domain allow DOMAIN",
    summary: "Adds a domain to those with which a server of limited federation speaks",
    load: async () => (await import("./domain.ts")).allowDomainCommand,
  },
  "domain disallow": {
    usage: "linnet domain disallow DOMAIN",
    summary: "Takes a domain from those",
    load: async () => (await import("./domain.ts")).disallowDomainCommand,
  },
  "domain list": {
    usage: "linnet domain list",
    summary: "Lists the domains that are blocked, and those that are allowed",
    load: async () => (await import("./domain.ts")).listDomainsCommand,
  },
  "trends list": {
    usage: "linnet trends list",
    summary: "Lists what trends, for review",
    details: `A line each: kind, id, score, "new", "approved" or "rejected", and what it is. With LINNET_TRENDS=review only what is
approved is shown to people; otherwise everything but what is rejected.`,
    load: async () => (await import("./trends.ts")).listTrendsCommand,
  },
  "trends approve": {
    usage: "linnet trends approve KIND ID",
    summary: "Lets something trend",
    details: "KIND is tag, status or link, and ID as the list has it.",
    load: async () => (await import("./trends.ts")).approveTrendCommand,
  },
  "trends reject": {
    usage: "linnet trends reject KIND ID",
    summary: "Keeps something from trending",
    details: "KIND is tag, status or link, and ID as the list has it.",
    load: async () => (await import("./trends.ts")).rejectTrendCommand,
  },
};
