import type { AuthorizationProblem } from "../../oauth/authorization.ts";
import type { Scope } from "../../oauth/scopes.ts";
import type { UserProblem } from "../../core/people/users.ts";
import type { Language } from "./texts.ts";

/** The texts that the pages of several folders need. */
export interface Messages {
  language: Language;
  /** The BCP 47 tag for formatting dates and numbers. */
  locale: string;
  /** The names of the areas for signed-in users, and of the bar that leads to them. */
  navigation: string;
  home: string;
  notifications: string;
  unread(count: number): string;
  compose: string;
  profile: string;
  settings: string;
  save: string;
  saved: string;
  signIn: string;
  signInFor(app: string): string;
  signOut: string;
  nameOrEmail: string;
  password: string;
  wrongPassword: string;
  pendingApproval: string;
  signInDisabled: string;
  tooManyAttempts(minutes: number): string;
  tooManyRequests(minutes: number): string;
  formExpired: string;
  signedOutTitle: string;
  signedOut: string;
  unusablePicture: string;
  filesAreLost: string;
  sendAgain: string;
  cookiesNeeded: string;

  consentTitle(app: string): string;
  signedInAs: string;
  useOtherAccount: string;
  appCan: string;
  returnsToWeb: string;
  returnsToApp: string;
  showsCode: string;
  allowWarning: string;
  allow: string;
  deny: string;
  scopes: Record<Scope, string>;

  deniedTitle: string;
  denied(app: string): string;
  codeTitle: string;
  codeHelp(app: string): string;
  codeLifetime: string;
  sendTitle(app: string): string;
  sendHelp: string;
  continueTo(app: string): string;

  problemTitle: string;
  problems: Record<AuthorizationProblem["problem"], string>;
  backTo(app: string): string;

  followNamed(name: string): string;
  follow: string;
  isFollowed: string;
  isRequested: string;
  cannotFollow: string;
  nothingThere: string;
  nothingThereHelp: string;

  setupTitle: string;
  setupIntro: string;
  username: string;
  usernameHelp(handle: string): string;
  displayName: string;
  optional: string;
  passwordHelp: string;
  localOnly(address: string): string;
  createAccount: string;
  setupUsedTitle: string;
  setupUsed: string;
  setupReplacedTitle: string;
  setupReplaced: string;
  userProblems: Record<UserProblem, string>;

  noOwner: string;
  accountsHere: string;

  appsAndBrowsers: string;
  apps: string;
  noApps: string;
  authorizedOn(date: string): string;
  lastUsedOn(date: string): string;
  expiresOn(date: string): string;
  notUsedYet: string;
  permissions: string;
  revokeApp: string;
  revokeAppNamed(app: string): string;
  browsers: string;
  thisBrowser: string;

  pages: string;
  latestPosts: string;
  olderPosts: string;
  noPosts: string;
  withTag: string;
  noPostsWithTag: string;
  postBy(name: string): string;
  boostedBy(name: string): string;
  pinned: string;
  automated: string;
  verified: string;
  /** The handle of the other account follows. */
  hasMovedTo(name: string): string;
  joinedIn(month: string): string;
  posts(count: number): string;
  following(count: number): string;
  followers(count: number): string;
  repliesTitle: string;
  replies(count: number): string;
  boosts(count: number): string;
  favourites(count: number): string;
  editedOn(date: string): string;
  sensitiveMedia: string;
  quoteHidden: string;
  votes(count: number): string;
  pollUntil(date: string): string;
  pollClosed: string;
  deliveredTo(servers: number): string;
  serversWaiting(servers: number): string;
  serversRefused(servers: number): string;
  latestEdit(text: string): string;
  waitingSince(date: string): string;
  nextAttemptAt(date: string): string;
  refusedOn(date: string): string;
  membersOnlyTitle: string;
  membersOnly: string;
  suspendedTitle: string;
  suspended: string;

  about: string;
  rules: string;
  contact: string;
  privacyPolicy: string;
  changedOn(date: string): string;
  termsOfService: string;
  effectiveSince(date: string): string;
  effectiveFrom(date: string): string;
  replacedFrom(date: string): string;

  notFoundTitle: string;
  notFound: string;
  errorTitle: string;
  toStartPage: string;
}

/** A number with its noun, in the singular or plural by the rules of the language. */
export function counted(locale: string, count: number, one: string, many: string): string {
  return `${new Intl.NumberFormat(locale).format(count)} ${new Intl.PluralRules(locale).select(count) === "one" ? one : many}`;
}
