/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Context } from "../../context.ts";
import { countUnreadUpTo } from "../../core/notifications/notifications.ts";
import type { Changer } from "../../core/mail/sign-in-changes.ts";
import { readingOf, type Reading } from "../../core/people/profile.ts";
import type { LoginRow } from "../../core/sign-in/logins.ts";
import type { Client } from "../../core/sign-in/new-browsers.ts";
import { beginSecondStep, pendingUser } from "../../core/sign-in/pending.ts";
import { findAppearance } from "../../core/server/appearance.ts";
import { etagOf, isNamedBy } from "../../lib/http/etag.ts";
import { isTimeZone } from "../../lib/dates.ts";
import { requestAddress, type Params } from "../../lib/http/params.ts";
import { userAgentOf } from "../../core/sign-in/user-agents.ts";
import { hashSecret, newSecret, sameSecret } from "../../lib/secrets.ts";
import { knownBrowser, knownBrowserCookie, KNOWN_BROWSER_SECONDS } from "../../oauth/known-browsers.ts";
import { closeSession, findSession, openSession, SESSION_LIFETIME, type Session } from "../../oauth/sessions.ts";
import { nameOf, readCookie, setCookie } from "./cookies.ts";
import { messagesFor } from "../i18n/negotiation.ts";
import type { Messages } from "../i18n/messages.ts";
import type { Texts } from "../i18n/texts.ts";
import { script, type Asset } from "../assets.ts";
import { PageLayout, type Site } from "./layout.tsx";
import { MAX_UNREAD, Navigation } from "./navigation.tsx";
import { iconPath, themePath } from "./theme.ts";

export interface PageOptions {
  status?: number;
  title: string;
  /** For long texts. */
  wide?: boolean;
  /** Whether search engines may list it: only a public page, and only if its author allows it. */
  listed?: boolean;
  /** Whether all anonymous visitors get the same page: their browsers may cache it and check whether it has changed. */
  isPublic?: boolean;
  /** Metadata for search engines and link previews, in the page's head. */
  meta?: ComponentChildren;
  /** Whether nothing should lead away from what the page asks: it has no navigation. */
  isFocused?: boolean;
  /** Whether the page is shown without the owner's styles, so that they can't make it unusable. */
  hasOwnStyles?: boolean;
  /** Scripts that make the page more pleasant; it must work without them. They may request this server. */
  scripts?: readonly Asset[];
  /** Whether users sign in here, also for the first time: the script then tells the server the browser's time zone. */
  asksTimeZone?: boolean;
  /** Where the page's forms may lead besides this server: sources of a Content-Security-Policy. */
  formActions?: string[];
  headers?: Record<string, string>;
}

/** A request by a signed-in user. */
export type UserPage = PageRequest & { session: Session };

/** One request for a page: its session, language and parameters, and the means to respond. */
export class PageRequest {
  readonly messages: Messages;
  /** The parameter `lang` as it was sent, so that the next page gets it too. */
  readonly lang: string;
  session: Session | null;
  /** Whether the page has times that the script shows in the browser's time zone. */
  needsLocalTimes = false;
  private readonly secure: boolean;
  private readonly cookies: string[] = [];
  private formSecret: string | null;
  private knownReading: Reading | null = null;

  constructor(
    readonly ctx: Context,
    readonly request: Request,
    readonly address: string,
    readonly params: Params,
  ) {
    this.secure = ctx.config.origin.startsWith("https:");
    this.lang = this.text("lang").slice(0, 20);
    const secret = readCookie(request, "session", this.secure);
    this.session = secret === null ? null : findSession(ctx, secret, this.client);
    const wanted = [this.lang, this.session?.language ?? null];
    this.messages = messagesFor(wanted, request.headers.get("accept-language"));
    if (this.session) ctx.requestLog.identify(request, this.session.userId);
    this.formSecret = readCookie(request, "form", this.secure);
    if (this.session?.renewed) this.keepSession(this.session);
  }

  /** The browser that sent the request. */
  get client(): Client {
    return { address: this.address, userAgent: userAgentOf(this.request) };
  }

  /** The signed-in user, for changes of how they sign in. */
  get changer(): Changer {
    return { userId: this.session!.userId, address: this.address };
  }

  /** A parameter as text; empty when there is none. */
  text(name: string): string {
    const value = this.params[name];
    return typeof value === "string" ? value : "";
  }

  /** Whether a checkbox of the form was checked. */
  isChecked(name: string): boolean {
    return this.text(name) !== "";
  }

  /** A file of the form; undefined if none was chosen. */
  file(name: string): File | undefined {
    const value = this.params[name];
    return value instanceof File && value.size > 0 ? value : undefined;
  }

  /** The segments of the URL's path, decoded. */
  get path(): string[] {
    return requestAddress(this.request.url).pathname.slice(1).split("/").map(decoded);
  }

  /** The texts of an area of the pages, in the visitor's language. */
  texts<T>(texts: Texts<T>): T {
    return texts[this.messages.language];
  }

  /** The path of a URL on this server, which the browser may know by another name; other URLs unchanged. */
  local(url: string): string {
    const { origin } = this.ctx.config;
    return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  }

  /** Whether this visitor may see accounts and public posts (LINNET_LIMITED_FEDERATION). */
  get maySeeAccounts(): boolean {
    return this.session !== null || !this.ctx.config.limitedFederation;
  }

  /** The account that sees the page: 0 for anonymous visitors. */
  get viewerId(): number {
    return this.session?.accountId ?? 0;
  }

  /** The time zone that the user has chosen; null for others. */
  get timeZone(): string | null {
    return this.session?.timeZone ?? null;
  }

  /** The parts that are open in the posts on the page. */
  get reading(): Reading {
    this.knownReading ??= readingOf(this.ctx.db, this.viewerId);
    return this.knownReading;
  }

  /** The token that a form must send back: bound to the session, or to this browser while no user is signed in. */
  csrfToken(): string {
    return csrfTokenOf(this.browserSecret());
  }

  /** The secret of the session or, while no user is signed in, of this browser. Only its cookie has it. */
  browserSecret(): string {
    if (this.session) return this.session.secret;
    if (this.formSecret === null) {
      this.formSecret = newSecret();
      this.cookies.push(setCookie("form", this.formSecret, this.secure, null));
    }
    return this.formSecret;
  }

  /**
   * Whether the form came from a page of this server, shown in this browser to the user who is signed in now: whether its
   * field has the token.
   */
  isFormValid(field = "csrf"): boolean {
    const secret = this.session?.secret ?? this.formSecret;
    return secret !== null && this.isSameOrigin() && sameSecret(this.text(field), csrfTokenOf(secret));
  }

  /**
   * Whether the browser opens a page, rather than a script or a frame, as the browser reports; true for old ones that
   * report nothing.
   */
  isNavigation(): boolean {
    const mode = this.request.headers.get("sec-fetch-mode") ?? "navigate";
    const destination = this.request.headers.get("sec-fetch-dest") ?? "document";
    return mode === "navigate" && destination === "document";
  }

  /**
   * Whether the request came from a page of this server, as the browser reports; true for old ones that report nothing.
   */
  isSameOrigin(): boolean {
    const site = this.request.headers.get("sec-fetch-site");
    if (site !== null) return site === "same-origin";
    const origin = this.request.headers.get("origin");
    if (origin === null || origin === this.ctx.config.origin) return true;
    return URL.canParse(origin) && new URL(origin).host === this.request.headers.get("host");
  }

  /** Whether a user is signed in. */
  isOfUser(): this is UserPage {
    return this.session !== null;
  }

  /**
   * Signs the user in. A sign-in for an app is no proof for sensitive pages: the app may be a web client on the same
   * origin, whose scripts could use it.
   */
  signIn(userId: number, { isProof = true } = {}): void {
    const isKnownBrowser = this.knownBrowser(userId) !== null;
    // First, since it may write the key: a lock then leaves no session behind.
    this.rememberBrowser(userId);
    const replaces = this.session?.secret ?? null;
    const { client, timeZoneOfBrowser: timeZone } = this;
    const { language } = this.messages;
    this.session = openSession(this.ctx, { userId, replaces, client, isKnownBrowser, isProof, timeZone, language });
    this.keepSession(this.session);
  }

  /** Null if the script didn't run on the page for signing in. */
  private get timeZoneOfBrowser(): string | null {
    const name = readCookie(this.request, "time_zone", this.secure);
    return name !== null && isTimeZone(name) ? name : null;
  }

  /** Lets the browser be recognised at the user's next sign-in. */
  rememberBrowser(userId: number): void {
    const known = knownBrowserCookie(this.ctx, userId);
    this.cookies.push(setCookie(`known_${userId}`, known, this.secure, KNOWN_BROWSER_SECONDS));
  }

  /** Remembers in this browser that the user has shown the first factor. */
  beginSecondStep(userId: number): void {
    this.cookies.push(setCookie("second_step", beginSecondStep(this.ctx, userId), this.secure, null));
  }

  /** The user whose second factor is missing in this browser; null without one, or if it took too long. */
  pendingSignIn(): { user: LoginRow; secret: string } | null {
    const secret = readCookie(this.request, "second_step", this.secure);
    const user = secret === null ? null : pendingUser(this.ctx, secret);
    return user && { user, secret: secret! };
  }

  /** Identifies a browser that the user has signed in with before; null for any other. */
  knownBrowser(userId: number): string | null {
    return knownBrowser(this.ctx, userId, readCookie(this.request, `known_${userId}`, this.secure));
  }

  signOut(): void {
    if (this.session) closeSession(this.ctx, this.session.secret);
    this.session = null;
    this.cookies.push(setCookie("session", "", this.secure, 0));
  }

  render(options: PageOptions, children: ComponentChildren): Response {
    const appearance = findAppearance(this.ctx.db);
    const site = {
      title: this.ctx.config.title,
      icon: iconPath(this.ctx, 96),
      theme: options.hasOwnStyles === false ? null : themePath(appearance),
    };
    const html = renderToString(
      <PageLayout
        title={options.title}
        site={site}
        messages={this.messages}
        wide={options.wide ?? false}
        listed={appearance.isIndexed && (options.listed ?? false)}
        meta={
          options.asksTimeZone ? <meta name="time-zone" content={nameOf("time_zone", this.secure)} /> : options.meta
        }
        scripts={() => this.scripts(options)}
        navigation={options.isFocused ? null : this.navigation(site)}
      >
        {children}
      </PageLayout>,
    );
    const headers = this.headers({
      ...options.headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": securityPolicy(this.scripts(options), options.formActions),
    });
    const body = `<!doctype html>${html}`;
    const status = options.status ?? 200;
    const isCurrent = options.isPublic === true && status === 200 && this.addValidator(headers, body);
    return isCurrent ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers });
  }

  /** Complete once the page is rendered. */
  private scripts({ scripts = [], asksTimeZone = false }: PageOptions): Asset[] {
    return [...new Set([...scripts, ...(this.needsLocalTimes || asksTimeZone ? [script] : [])])];
  }

  private navigation(site: Site) {
    const { session, messages, ctx, request } = this;
    const path = requestAddress(request.url).pathname;
    const unread = session ? countUnreadUpTo(ctx.db, session.accountId, MAX_UNREAD) : 0;
    return <Navigation site={site} messages={messages} session={session} path={path} unread={unread} />;
  }

  /**
   * Lets the browser of an anonymous visitor, and caches on the way, store a page. Returns whether their copy is current.
   * A page that is shown in a session or sets a cookie is for one user and must not be stored.
   */
  private addValidator(headers: Headers, body: string): boolean {
    if (this.session !== null || this.cookies.length > 0) return false;
    const etag = etagOf(body);
    headers.set("cache-control", "no-cache");
    headers.set("etag", etag);
    headers.set("vary", "Accept, Accept-Language, Cookie");
    return isNamedBy(this.request.headers.get("if-none-match"), etag);
  }

  /** Redirects the browser with a GET, regardless of the request's method. */
  redirect(location: string): Response {
    return new Response(null, { status: 303, headers: this.headers({ location }) });
  }

  /** A file that the browser saves, with what belongs to one user. */
  download({ name, type, body }: { name: string; type: string; body: string | ReadableStream<Uint8Array> }): Response {
    const disposition = `attachment; filename="${name}"`;
    return new Response(body, { headers: this.headers({ "content-type": type, "content-disposition": disposition }) });
  }

  private keepSession(session: Session): void {
    this.cookies.push(setCookie("session", session.secret, this.secure, SESSION_LIFETIME / 1000));
  }

  private headers(own: Record<string, string>): Headers {
    const headers = new Headers({
      "cache-control": "no-store",
      // With `no-referrer`, browsers send forms with an Origin of "null", and isSameOrigin() could not check it.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      ...own,
    });
    for (const cookie of this.cookies) headers.append("set-cookie", cookie);
    return headers;
  }
}

/** A segment of a path, percent-decoded; unchanged if the encoding is not valid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function csrfTokenOf(secret: string): string {
  return hashSecret(`csrf ${secret}`);
}

/**
 * No inline scripts, nothing from other origins, no framing; scripts only on pages that have any.
 * Cross-Origin-Opener-Policy is left out on purpose: Phanpy signs in through a popup and needs messages from it.
 */
function securityPolicy(scripts: readonly Asset[], formActions: readonly string[] = []): string {
  return [
    "default-src 'none'",
    ...(scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    "manifest-src 'self'",
    "media-src 'self'",
    ["form-action 'self'", ...formActions].join(" "),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
