import { translate } from "../../src/web/i18n/error-messages.ts";
import { mastodon } from "./mastodon.ts";
// oxlint-disable-next-line typescript/no-explicit-any -- tests examine responses of any shape
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  json: Json;
}

/** Calls a server's API like an app. */
export class Client {
  constructor(
    readonly origin: string,
    readonly token: string | null,
    /** The account's id; empty for an anonymous client. */
    readonly id = "",
  ) {}

  get(path: string, init?: RequestInit): Promise<Answer> {
    return this.send("GET", path, undefined, init);
  }

  post(path: string, body?: object, init?: RequestInit): Promise<Answer> {
    return this.send("POST", path, body, init);
  }

  put(path: string, body?: object, init?: RequestInit): Promise<Answer> {
    return this.send("PUT", path, body, init);
  }

  patch(path: string, body?: object, init?: RequestInit): Promise<Answer> {
    return this.send("PATCH", path, body, init);
  }

  delete(path: string, body?: object, init?: RequestInit): Promise<Answer> {
    return this.send("DELETE", path, body, init);
  }

  /** Publishes a status and returns it. Any response other than 200 fails the test. */
  async publish(status: string | object): Promise<Json> {
    const answer = await this.post("/api/v1/statuses", typeof status === "string" ? { status } : status);
    if (answer.status !== 200) throw new Error(`publishing failed: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json;
  }

  follow(target: { id: string }, options?: object): Promise<Answer> {
    return this.post(`/api/v1/accounts/${target.id}/follow`, options);
  }

  /** Sends JSON unless the body is a form. */
  private async send(method: string, path: string, body?: object, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (this.token) headers.set("authorization", `Bearer ${this.token}`);
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    if (body && !isForm) headers.set("content-type", "application/json");
    const payload = body === undefined || isForm ? (body as FormData | undefined) : JSON.stringify(body);
    const response = await fetch(this.origin + path, { redirect: "manual", ...init, method, headers, body: payload });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const json = isJson ? JSON.parse(text) : text;
    if (isJson) expectDocumented(method, path, response.status, json);
    if (response.headers.get("content-language") === "en") expectTranslated(json);
    return { status: response.status, headers: response.headers, json };
  }
}

/** Fails the test if the response doesn't match Mastodon's documentation of the method. */
function expectDocumented(method: string, path: string, status: number, json: Json): void {
  const [plainPath] = path.split("?") as [string];
  const problems = mastodon.answerProblems(method, plainPath, status, json);
  if (problems.length === 0) return;
  throw new Error(`${method} ${plainPath} answered ${status} with what Mastodon doesn't say:\n${problems.join("\n")}`);
}

/** Fails the test if an error message has no translation. */
function expectTranslated({ error, error_description: sentence = error }: Json): void {
  const missing = ["de", "fr"].filter((language) => translate(sentence, language) === null);
  if (missing.length > 0) throw new Error(`There is no translation (${missing.join(", ")}) of the error: ${sentence}`);
}
