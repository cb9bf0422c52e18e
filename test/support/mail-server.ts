import { createServer, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";

/** An e-mail as its recipient sees it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The user who has signed in to the mail server; empty for none. */
  user: string;
  /** Header fields by their name in lower case. */
  headers: Map<string, string>;
  subject: string;
  text: string;
  html: string;
  /** The first link of the text; empty if it has none. */
  link: string;
}

/** A step at which a mail server can refuse. */
type Stage = "MAIL" | "RCPT" | "DATA";

/** A mail server on the loopback interface that keeps what it gets. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Refuses from now on, at this step, with this status. */
  refusal: { stage: Stage; status: number; text?: string } | null = null;
  private readonly server: SMTPServer;
  private port = 0;

  private constructor(login: { user: string; password: string } | null) {
    this.server = new SMTPServer({
      authOptional: login === null,
      allowInsecureAuth: true,
      disabledCommands: login === null ? ["STARTTLS", "AUTH"] : ["STARTTLS"],
      disableReverseLookup: true,
      logger: false,
      onAuth: ({ username, password }, _, done) =>
        username === login?.user && password === login?.password
          ? done(null, { user: username })
          : done(new Error(`Wrong password ${password}`)),
      onMailFrom: (_, __, done) => done(this.refusedAt("MAIL")),
      onRcptTo: (_, __, done) => done(this.refusedAt("RCPT")),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
        stream.on("end", () => {
          const refused = this.refusedAt("DATA");
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom ? mailFrom.address : "";
          const to = rcptTo.map(({ address }) => address);
          const raw = Buffer.concat(chunks).toString();
          if (!refused) this.received.push({ from, to, user: String(session.user ?? ""), ...parse(raw) });
          done(refused);
        });
      },
    });
    // A client that breaks off is what some tests want.
    this.server.on("error", () => {});
  }

  static async start(login: { user: string; password: string } | null = null): Promise<MailServer> {
    const server = new MailServer(login);
    await new Promise<void>((resolve) => void server.server.listen(0, "127.0.0.1", resolve));
    server.port = (server.server.server.address() as { port: number }).port;
    return server;
  }

  /** The settings of a server that sends its e-mails here. */
  settings(login = ""): { LINNET_SMTP_URL: string; LINNET_SMTP_FROM: string } {
    return {
      LINNET_SMTP_URL: `smtp://${login && `${login}@`}127.0.0.1:${this.port}`,
      LINNET_SMTP_FROM: "Linnet <linnet@mail.example>",
    };
  }

  /** Takes the e-mails that have arrived since the last call. */
  take(): ReceivedMail[] {
    return this.received.splice(0);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }

  private refusedAt(stage: Stage): Error | null {
    if (this.refusal?.stage !== stage) return null;
    const { status, text = "not today" } = this.refusal;
    return Object.assign(new Error(text), { responseCode: status });
  }
}

/** A server on the loopback interface that does what `talk` does with each connection. */
export async function rawMailServer(talk: (socket: Socket) => void): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    talk(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function parse(raw: string): Pick<ReceivedMail, "headers" | "subject" | "text" | "html" | "link"> {
  const { headers, body } = split(raw);
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "") ?? [];
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r?\n/, "")));
  const textOf = (type: string) => decode(parts.find((part) => part.headers.get("content-type")?.startsWith(type))!);
  const text = textOf("text/plain");
  return {
    headers,
    subject: decodeWords(headers.get("subject") ?? ""),
    text,
    html: textOf("text/html"),
    link: /https?:\S+\?token=\S+/.exec(text)?.[0] ?? "",
  };
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

function split(raw: string): Part {
  const at = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const fields = lines.map((line): [string, string] => {
    const [name = "", ...value] = line.split(": ");
    return [name.toLowerCase(), value.join(": ")];
  });
  return { headers: new Map(fields), body: raw.slice(at + 4) };
}

function decode({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding");
  const bytes =
    encoding === "base64"
      ? Buffer.from(body, "base64")
      : encoding === "quoted-printable"
        ? fromQuotedPrintable(body)
        : Buffer.from(body);
  return `${bytes.toString().replaceAll("\r\n", "\n").trimEnd()}\n`;
}

function fromQuotedPrintable(text: string): Buffer {
  const joined = text.replaceAll(/=\r?\n/g, "");
  return Buffer.from(
    joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
}

/** Decodes a header field (RFC 2047). */
function decodeWords(text: string): string {
  const bytes = (kind: string, word: string) =>
    kind.toUpperCase() === "B" ? Buffer.from(word, "base64") : fromQuotedPrintable(word.replaceAll("_", " "));
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) => bytes(kind, word).toString());
}
