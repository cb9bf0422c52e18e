import type { Server } from "bun";

/** The response of a site: HTML, or anything else. */
type Answer = string | (() => Response | Promise<Response>);

/** A website on the loopback interface. Test servers reach it under any host name with its port. */
export class Site {
  /** The requested paths with their query, in order. */
  readonly asked: string[] = [];
  private readonly answers = new Map<string, Answer>();
  private readonly server: Server<undefined>;

  constructor() {
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.answer(new URL(request.url)) });
  }

  /** Adds a page and returns its URL. */
  put(path: string, answer: Answer, host = "news.example"): string {
    this.answers.set(path, answer);
    return this.url(path, host);
  }

  url(path: string, host = "news.example"): string {
    return `http://${host}:${this.server.port}${path}`;
  }

  remove(path: string): void {
    this.answers.delete(path);
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer({ pathname, search }: URL): Promise<Response> {
    this.asked.push(pathname + search);
    const answer = this.answers.get(pathname);
    if (answer === undefined) return new Response("nothing here", { status: 404 });
    if (typeof answer === "function") return answer();
    return new Response(answer, { headers: { "content-type": "text/html; charset=utf-8" } });
  }
}

/** A page with a title and other elements in its head. */
export function page(title: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>text</body></html>`;
}

export function meta(properties: Record<string, string>): string {
  return Object.entries(properties)
    .map(([name, content]) => `<meta property="${name}" content="${content}">`)
    .join("");
}
