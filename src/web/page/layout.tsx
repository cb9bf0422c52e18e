/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { favicon, stylesheet } from "../assets.ts";
import { Html } from "./rich-text.tsx";
import type { Messages } from "../i18n/messages.ts";

interface PageLayoutProps {
  title: string;
  server: string;
  messages: Messages;
  /** For long texts. */
  wide: boolean;
  /** Whether search engines may list it. */
  listed: boolean;
  /** Metadata for search engines and link previews. */
  meta?: ComponentChildren;
  children: ComponentChildren;
}

/** A complete page: one column, shown as a card if there is room for one. */
export function PageLayout(props: PageLayoutProps) {
  const { messages } = props;
  const title = props.title === props.server ? props.title : `${props.title} · ${props.server}`;
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
        <link rel="icon" href={favicon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={stylesheet.path} />
      </head>
      <body>
        <main class={props.wide ? "wide" : undefined}>{props.children}</main>
        <footer>
          <a href="/">{props.server}</a>
          <a href="/about">{messages.about}</a>
          <a href="/privacy-policy">{messages.privacyPolicy}</a>
        </footer>
      </body>
    </html>
  );
}

/** The head of a page: the bird, and what the page is about. */
export function Head(props: { title: string; children?: ComponentChildren }) {
  return (
    <header>
      <img class="logo" src={favicon.path} width="72" height="72" alt="" />
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

interface FieldProps {
  name: string;
  label: string;
  type?: "text" | "password";
  value?: string;
  autocomplete: string;
  optional?: string;
  help?: string;
  error?: string | null;
  required?: boolean;
  autofocus?: boolean;
  minLength?: number;
  maxLength?: number;
}

/** Phones must not capitalise or correct a name. */
const NO_CORRECTION = { autocapitalize: "none", autocorrect: "off", spellcheck: false } as const;

/** A labelled input with a help text or an error beneath. */
export function Field(props: FieldProps) {
  const about = props.error || props.help ? `${props.name}-about` : undefined;
  return (
    <div class="field">
      <label for={props.name}>
        {props.label}
        {props.optional && <span class="optional"> ({props.optional})</span>}
      </label>
      <input
        id={props.name}
        name={props.name}
        type={(props.type ?? "text") as "text"}
        value={props.value}
        autocomplete={props.autocomplete as "username"}
        {...NO_CORRECTION}
        required={props.required}
        autofocus={props.autofocus}
        minLength={props.minLength}
        maxLength={props.maxLength}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={about}
      />
      {props.error ? (
        <p class="error" id={about} role="alert">
          {props.error}
        </p>
      ) : (
        props.help && (
          <p class="help" id={about}>
            {props.help}
          </p>
        )
      )}
    </div>
  );
}

export function Hidden(props: { values: Record<string, string> }) {
  return (
    <>
      {Object.entries(props.values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
