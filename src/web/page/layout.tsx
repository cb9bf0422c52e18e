/** @jsxImportSource preact */
import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { favicon, stylesheet, type Asset } from "../assets.ts";
import { DrawnIcons } from "./icons.tsx";
import { Html } from "./rich-text.tsx";
import type { Messages } from "../i18n/messages.ts";

/** How the owner has made the pages look. */
export interface Site {
  title: string;
  icon: { path: string; type: string };
  /** The path of the owner's styles; null without any. */
  theme: string | null;
}

/** For the logo of pages that have one. */
const IconPath = createContext(favicon.path);

interface PageLayoutProps {
  title: string;
  site: Site;
  messages: Messages;
  /** For long texts. */
  wide: boolean;
  /** Whether search engines may list it. */
  listed: boolean;
  /** Metadata for search engines and link previews. */
  meta?: ComponentChildren;
  /** Called once the rest is rendered. */
  scripts: () => readonly Asset[];
  /** Above the page; null if nothing must lead away from it. */
  navigation: ComponentChildren;
  children: ComponentChildren;
}

/** A complete page: one column, shown as a card if there is room for one. */
export function PageLayout(props: PageLayoutProps) {
  const { messages, site } = props;
  const title = props.title === site.title ? props.title : `${props.title} · ${site.title}`;
  return (
    <html lang={messages.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f8f4f0" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#191513" />
        {!props.listed && <meta name="robots" content="noindex" />}
        <title>{title}</title>
        {props.meta}
        <link rel="icon" href={site.icon.path} type={site.icon.type} />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <link rel="stylesheet" href={stylesheet.path} />
        {site.theme !== null && <link rel="stylesheet" href={site.theme} />}
      </head>
      <body>
        <DrawnIcons.Provider value={new Set()}>
          {props.navigation}
          <main class={props.wide ? "wide" : undefined}>
            <IconPath.Provider value={site.icon.path}>{props.children}</IconPath.Provider>
          </main>
        </DrawnIcons.Provider>
        <footer>
          <a href="/">{site.title}</a>
          <a href="/about">{messages.about}</a>
          <a href="/privacy-policy">{messages.privacyPolicy}</a>
        </footer>
        <Scripts files={props.scripts} />
      </body>
    </html>
  );
}

/** At the end, since the page decides while it is rendered. */
function Scripts({ files }: { files: () => readonly Asset[] }) {
  return (
    <>
      {files().map(({ path }) => (
        <script type="module" src={path} />
      ))}
    </>
  );
}

/** The head of a page: the server's icon, and what the page is about. */
export function Head(props: { title: string; children?: ComponentChildren }) {
  return (
    <header>
      <img class="logo" src={useContext(IconPath)} width="72" height="72" alt="" />
      <h1>{props.title}</h1>
      {props.children}
    </header>
  );
}

/** A text by the owner. It was made from Markdown, so it contains only text and links. */
export function Prose(props: { html: string }) {
  return (
    <section>
      <Html class="prose" html={props.html} />
    </section>
  );
}

/** An error message, which screen readers announce at once. */
export function Alert(props: { children: ComponentChildren }) {
  return (
    <div class="alert" role="alert">
      {props.children}
    </div>
  );
}

export function Notice(props: { children: ComponentChildren }) {
  return <div class="notice">{props.children}</div>;
}
