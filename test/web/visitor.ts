/** Values that replace or complete those of a form; undefined unchecks a box. */
type Fields = Record<string, string | File | undefined>;

interface Form {
  action: string;
  isMultipart: boolean;
  fields: Record<string, string>;
  /** `label` is the text, or the title that stands for a drawing. */
  buttons: { name: string; value: string; label: string }[];
}

/** A page as its visitor sees it, or a redirect. */
export interface Seen {
  status: number;
  headers: Headers;
  html: string;
  /** The target of a redirect; null for a page. */
  location: string | null;
  /** The text of the page, without its markup and the bar above it. */
  text: string;
  forms: Form[];
}

/**
 * A browser without JavaScript. It keeps cookies and submits forms, but stops at redirects so that tests can check
 * them.
 */
export class Visitor {
  readonly cookies = new Map<string, string>();
  private seen: Seen | null = null;

  constructor(
    private readonly server: { origin: string },
    readonly headers: Record<string, string> = {},
  ) {}

  async get(path: string): Promise<Seen> {
    return this.send("GET", path);
  }

  /** The form of the current page that leads there. */
  formTo(action: string): Form {
    const form = this.seen?.forms.find((each) => each.action === action);
    if (!form) throw new Error(`there is no form to ${action} on this page: ${this.seen?.text}`);
    return form;
  }

  /** Submits a form of the current page with the button of this label: the first one, or the one with this action. */
  async press(label: string, fields: Fields = {}, action?: string): Promise<Seen> {
    const forms = this.seen?.forms.filter((form) => action === undefined || form.action === action);
    const form = forms?.find(({ buttons }) => buttons.some((button) => button.label === label));
    const button = form?.buttons.find((candidate) => candidate.label === label);
    if (!form || !button) throw new Error(`there is no button "${label}" on this page: ${this.seen?.text}`);
    const all = { ...form.fields, ...(button.name ? { [button.name]: button.value } : {}), ...fields };
    return form.isMultipart ? this.upload(form.action, all) : this.post(form.action, all as Record<string, string>);
  }

  /** Submits a form as a page of this server does; `headers` are what the browser adds. */
  async post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Seen> {
    const given = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === "string");
    return this.send("POST", path, new URLSearchParams(given), this.formHeaders(headers));
  }

  /** Submits a form with files. */
  async upload(path: string, fields: Fields, files: readonly File[] = []): Promise<Seen> {
    const body = new FormData();
    for (const file of files) body.append("files[]", file);
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
    return this.send("POST", path, body, this.formHeaders({}));
  }

  private formHeaders(own: Record<string, string>): Record<string, string> {
    return { origin: this.server.origin, "sec-fetch-site": "same-origin", ...own };
  }

  /** Follows the last redirect. */
  async follow(): Promise<Seen> {
    if (!this.seen?.location?.startsWith("/")) throw new Error(`this leads away: ${this.seen?.location}`);
    return this.get(this.seen.location);
  }

  /** Signs in on the sign-in page. */
  async signIn(login: string, password = "correct horse"): Promise<Seen> {
    await this.get("/sign-in?lang=en");
    return this.press("Sign in", { login, password });
  }

  async signOut(): Promise<Seen> {
    await this.get("/settings?lang=en");
    return this.press("Sign out");
  }

  /** The name of the user who is signed in; null if none is. */
  async signedInAs(): Promise<string | null> {
    return /@(\w+) Sign out/.exec((await this.get("/settings?lang=en")).text)?.[1] ?? null;
  }

  private async send(
    method: string,
    path: string,
    body?: URLSearchParams | FormData,
    own: Record<string, string> = {},
  ) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...this.headers, ...own, ...(cookie ? { cookie } : {}) };
    const address = new URL(path, this.server.origin);
    const response = await fetch(address, { method, headers, body, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    this.seen = await see(response);
    return this.seen;
  }

  private keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}

async function see(response: Response): Promise<Seen> {
  const html = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    html,
    location: response.headers.get("location"),
    text: decoded(
      html
        .replace(/<head>.*<\/head>/s, "")
        .replace(/<nav class="top".*?<\/nav>/s, "")
        .replace(/<[^>]*>/g, " "),
    )
      .replace(/\s+/g, " ")
      .trim(),
    forms: formsIn(html),
  };
}

function formsIn(html: string): Form[] {
  return [...html.matchAll(/<form ([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, inside]) => ({
    action: attribute(attributes!, "action"),
    isMultipart: attributes!.includes("multipart/form-data"),
    fields: { ...inputsIn(inside!), ...textsIn(inside!), ...choicesIn(inside!) },
    buttons: [...inside!.matchAll(/<button(?: ([^>]*))?>(.*?)<\/button>/gs)].map(([, button = "", label]) => ({
      name: attribute(button!, "name"),
      value: attribute(button!, "value"),
      label: attribute(button!, "title") || decoded(label!),
    })),
  }));
}

/** Inputs with their values; only checked boxes, and no files. */
function inputsIn(form: string): Record<string, string> {
  const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, input]) => input!);
  const sent = inputs.filter((input) => {
    const type = attribute(input, "type");
    return type !== "file" && (!/^(checkbox|radio)$/.test(type) || /(^|\s)checked(\s|=|\/|$)/.test(input));
  });
  return Object.fromEntries(sent.map((input) => [attribute(input, "name"), attribute(input, "value")]));
}

function textsIn(form: string): Record<string, string> {
  return Object.fromEntries(
    [...form.matchAll(/<textarea ([^>]*)>(.*?)<\/textarea>/gs)].map(([, attributes, text]) => [
      attribute(attributes!, "name"),
      decoded(text!).replace(/^\n/, ""),
    ]),
  );
}

function choicesIn(form: string): Record<string, string> {
  return Object.fromEntries(
    [...form.matchAll(/<select ([^>]*)>(.*?)<\/select>/gs)].map(([, attributes, options]) => {
      const tags = [...options!.matchAll(/<option ([^>]*)>/g)].map(([, option]) => option!);
      const chosen = tags.find((option) => /(^|\s)selected(\s|=|\/|$)/.test(option)) ?? tags[0] ?? "";
      return [attribute(attributes!, "name"), attribute(chosen, "value")];
    }),
  );
}

function attribute(attributes: string, name: string): string {
  return decoded(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

function decoded(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
