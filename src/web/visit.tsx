/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Context } from "../context.ts";
import { etagOf, isNamedBy } from "../lib/http/etag.ts";
import { requestAddress, type Params } from "../lib/http/params.ts";
import { hashSecret, newSecret, sameSecret } from "../lib/secrets.ts";
import { knownBrowser, knownBrowserCookie, KNOWN_BROWSER_SECONDS } from "../oauth/known-browsers.ts";
import { closeSession, findSession, openSession, SESSION_LIFETIME, type Session } from "../oauth/sessions.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { wordsFor } from "./i18n/languages.ts";
import { Page } from "./layout.tsx";
import type { Words } from "./i18n/words.ts";

export interface PageOptions {
  status?: number;
  title: string;
  /** For what is read at length. */
  wide?: boolean;
  /** Whether search engines may list it: what is there for everybody, and by somebody who wants that. */
  listed?: boolean;
  /** Whether strangers get the same page as each other: they may keep it and ask whether it has changed. */
  isPublic?: boolean;
  /** What programs are told of the page, in its head. */
  meta?: ComponentChildren;
  /** What the page's forms may lead to besides ourselves: sources of a Content-Security-Policy. */
  formActions?: string[];
  headers?: Record<string, string>;
}

/** One request for a page: who is asking, in which language, and what answers it. */
export class Visit {
  readonly words: Words;
  /** The language that was asked for, as it was asked, so that the next page speaks it too. */
  readonly lang: string;
  session: Session | null;
  private readonly secure: boolean;
  private readonly cookies: string[] = [];
  private formSecret: string | null;

  constructor(
    readonly ctx: Context,
    readonly request: Request,
    readonly address: string,
    readonly params: Params,
  ) {
    this.secure = ctx.config.origin.startsWith("https:");
    this.lang = this.text("lang").slice(0, 20);
    this.words = wordsFor(this.lang, request.headers.get("accept-language"));
    const secret = readCookie(request, "session", this.secure);
    this.session = secret === null ? null : findSession(ctx, secret);
    if (this.session) ctx.requests.identify(request, this.session.userId);
    this.formSecret = readCookie(request, "form", this.secure);
    if (this.session?.renewed) this.keepSession(this.session);
  }

  /** A parameter as text; empty when there is none. */
  text(name: string): string {
    const value = this.params[name];
    return typeof value === "string" ? value : "";
  }

  /** What stands between the slashes of the address. */
  get path(): string[] {
    return requestAddress(this.request.url).pathname.slice(1).split("/").map(decoded);
  }

  /** The path of what lies on this server, which the browser may know by another name; other addresses as they are. */
  local(url: string): string {
    const { origin } = this.ctx.config;
    return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  }

  /** Whether whoever asks may know who lives here, and read what is public. */
  get mayKnow(): boolean {
    return this.session !== null || !this.ctx.config.limitedFederation;
  }

  /** What a form must send back: bound to the session, or to this browser while nobody is signed in. */
  csrfToken(): string {
    if (this.session) return csrfTokenOf(this.session.secret);
    if (this.formSecret === null) {
      this.formSecret = newSecret();
      this.cookies.push(setCookie("form", this.formSecret, this.secure, null));
    }
    return csrfTokenOf(this.formSecret);
  }

  /** Whether the form came from a page of ours, shown in this browser to whoever is signed in now. */
  isFormOurs(): boolean {
    const secret = this.session?.secret ?? this.formSecret;
    return secret !== null && this.comesFromUs() && sameSecret(this.text("csrf"), csrfTokenOf(secret));
  }

  /** Whether the browser says that the request began on a page of this server; old ones may say nothing. */
  comesFromUs(): boolean {
    const site = this.request.headers.get("sec-fetch-site");
    if (site !== null) return site === "same-origin";
    const origin = this.request.headers.get("origin");
    if (origin === null || origin === this.ctx.config.origin) return true;
    return URL.canParse(origin) && new URL(origin).host === this.request.headers.get("host");
  }

  signIn(userId: number): void {
    // First, since it may write the key: a lock then leaves no session behind.
    const known = knownBrowserCookie(this.ctx, userId);
    this.session = openSession(this.ctx, userId, this.session?.secret ?? null);
    this.keepSession(this.session);
    this.cookies.push(setCookie(`known_${userId}`, known, this.secure, KNOWN_BROWSER_SECONDS));
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

  page(options: PageOptions, children: ComponentChildren): Response {
    const html = renderToString(
      <Page
        title={options.title}
        server={this.ctx.config.title}
        words={this.words}
        wide={options.wide ?? false}
        listed={options.listed ?? false}
        meta={options.meta}
      >
        {children}
      </Page>,
    );
    const headers = this.headers({
      ...options.headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": securityPolicy(options.formActions ?? []),
    });
    const body = `<!doctype html>${html}`;
    const status = options.status ?? 200;
    const isCurrent = options.isPublic === true && status === 200 && this.addValidator(headers, body);
    return isCurrent ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers });
  }

  /**
   * Allows a stranger's browser, and caches on the way, to keep a page, and returns whether the copy that it has is
   * current. A page that is shown in a session or sets a cookie is for one person and must not be kept.
   */
  private addValidator(headers: Headers, body: string): boolean {
    if (this.session !== null || this.cookies.length > 0) return false;
    const etag = etagOf(body);
    headers.set("cache-control", "no-cache");
    headers.set("etag", etag);
    headers.set("vary", "Accept-Language, Cookie");
    return isNamedBy(this.request.headers.get("if-none-match"), etag);
  }

  /** Sends the browser on with a GET, whatever it came with. */
  redirect(location: string): Response {
    return new Response(null, { status: 303, headers: this.headers({ location }) });
  }

  private keepSession(session: Session): void {
    this.cookies.push(setCookie("session", session.secret, this.secure, SESSION_LIFETIME / 1000));
  }

  private headers(own: Record<string, string>): Headers {
    const headers = new Headers({
      "cache-control": "no-store",
      // Under `no-referrer` browsers send forms with an Origin of "null", and nobody could tell whose they are.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      ...own,
    });
    for (const cookie of this.cookies) headers.append("set-cookie", cookie);
    return headers;
  }
}

/** A part of an address as text; as it stands where it isn't written as it should be. */
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
 * No scripts, nothing from elsewhere, in nobody's frame. Cross-Origin-Opener-Policy is left out on purpose: Phanpy signs
 * in through a popup and needs to hear from it.
 */
function securityPolicy(formActions: string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    ["form-action 'self'", ...formActions].join(" "),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
