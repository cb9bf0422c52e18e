import { isMailAddress, shownServer, type Mailbox, type MailServer } from "./mail-server.ts";

export interface MailSettings {
  server: MailServer;
  from: Mailbox;
}

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * Why an e-mail was not sent: `rejected` if the server does not accept this one, `failed` if another attempt may succeed.
 * The message names the server and the step, but neither the recipient nor the login.
 */
export class MailError extends Error {
  override readonly name = "MailError";

  constructor(
    readonly kind: "rejected" | "failed",
    message: string,
    /** The server's own words, without the login; "" if it said nothing. Only for the owner's terminal. */
    readonly response = "",
  ) {
    super(message);
  }
}

/** Milliseconds for an e-mail, from the look-up of the server's name to its last response. */
const TIMEOUT = 60_000;
/** Characters of a response that the owner gets to see. */
const MAX_RESPONSE = 300;

/** Sends e-mails through one server, each in a connection of its own. */
export class Mailer {
  constructor(
    readonly settings: MailSettings,
    /** The host in the ids of messages. */
    private readonly host: string,
    private readonly timeout = TIMEOUT,
  ) {}

  get server(): string {
    return shownServer(this.settings.server);
  }

  /** @throws MailError unless the server has accepted the e-mail */
  async send(mail: Mail, stopping?: AbortSignal): Promise<void> {
    const { from } = this.settings;
    // nodemailer would take "a,b@c" as two addresses.
    if (!isMailAddress(mail.to)) throw new MailError("rejected", "the recipient is not an e-mail address");
    // Slow to load, and most processes send nothing.
    const { createTransport } = await import("nodemailer");
    const limit = AbortSignal.timeout(this.timeout);
    try {
      await createTransport(this.options()).sendMail({
        // A copy, since nodemailer changes it.
        from: { ...from },
        to: { name: "", address: mail.to },
        envelope: { from: from.address, to: [mail.to] },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${crypto.randomUUID()}@${this.host}>`,
        headers: { "Auto-Submitted": "auto-generated" },
        xMailer: false,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: stopping ? AbortSignal.any([limit, stopping]) : limit,
      });
    } catch (error) {
      throw this.explained(error, limit.aborted);
    }
  }

  private options() {
    const { host, port, encryption, login } = this.settings.server;
    return {
      host,
      port,
      secure: encryption === "tls",
      requireTLS: encryption === "starttls",
      ignoreTLS: encryption === "none",
      ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
      connectionTimeout: this.timeout,
      greetingTimeout: this.timeout,
      socketTimeout: this.timeout,
    };
  }

  private explained(error: unknown, isLate: boolean): MailError {
    const {
      code = "",
      responseCode = 0,
      response = "",
    } = error as Partial<Record<"code" | "response", string>> & {
      responseCode?: number;
    };
    // A server that refuses this recipient or message does so again; any other refusal is about the connection.
    const isFinal = ["EENVELOPE", "EMESSAGE"].includes(code) && (responseCode === 0 || responseCode >= 500);
    const what = isLate ? "took too long" : (PROBLEMS[code] ?? (responseCode ? `answered ${responseCode}` : UNKNOWN));
    const said = responseCode && PROBLEMS[code] ? ` (${responseCode})` : "";
    return new MailError(
      isFinal ? "rejected" : "failed",
      `the mail server ${this.server} ${what}${said}`,
      this.withoutLogin(response),
    );
  }

  /** A server may repeat what it got, also in the encodings in which the login was sent. */
  private withoutLogin(response: string): string {
    const { login } = this.settings.server;
    const plain = response.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ");
    if (!login) return plain.slice(0, MAX_RESPONSE);
    const { user, password } = login;
    const encoded = [password, `\0${user}\0${password}`].map((each) => Buffer.from(each).toString("base64"));
    return [password, ...encoded].reduce((text, secret) => text.replaceAll(secret, "…"), plain).slice(0, MAX_RESPONSE);
  }
}

const UNKNOWN = "broke off the connection";

/** The meanings of nodemailer's codes. */
const PROBLEMS: Record<string, string> = {
  EDNS: "has no address",
  ESOCKET: "can't be reached, or broke off the connection",
  ECONNECTION: "broke off the connection",
  ETIMEDOUT: "took too long",
  ETLS: "offers no encryption that works",
  EAUTH: "doesn't accept the user name and password",
  ENOAUTH: "needs a user name and password",
  EPROTOCOL: "doesn't speak SMTP",
  EENVELOPE: "refused the sender or the recipient",
  EMESSAGE: "refused the e-mail",
};
