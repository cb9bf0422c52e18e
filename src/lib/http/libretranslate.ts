import { Refusal } from "../../errors.ts";
import { OutboundError, type OutboundRequest, type OutboundResponse } from "./outbound.ts";

/** The address of a LibreTranslate server, without a trailing slash, and its API key; "" if it needs none. */
export interface LibreTranslateSettings {
  url: string;
  key: string;
}

export interface Translated {
  /** HTML in the order of the request, as received: not sanitised yet. */
  texts: string[];
  /** The language of the texts, as detected by the service or given in the request; "und" if unknown. */
  source: string;
}

type Fetch = (url: string, request: OutboundRequest) => Promise<OutboundResponse>;

const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT = 30_000;
/** How long a response is cached, in milliseconds. An edit is another request, so only the service can change it. */
const KEEP_LANGUAGES = 24 * 3600_000;
const KEEP_TRANSLATION = 3600_000;
const MAX_KEPT = 200;

/** A client of a LibreTranslate server (or one with the same API) that caches its responses. */
export class LibreTranslate {
  private pairs: { at: number; value: Map<string, string[]> } | null = null;
  private readonly translations = new Map<string, { at: number; value: Translated }>();

  constructor(
    private readonly settings: LibreTranslateSettings,
    private readonly fetch: Fetch,
    private readonly clock: { now(): number },
  ) {}

  /** The target languages of each source language. */
  async languages(): Promise<ReadonlyMap<string, string[]>> {
    const now = this.clock.now();
    if (this.pairs && now - this.pairs.at < KEEP_LANGUAGES) return this.pairs.value;
    const value = languagePairs(await this.ask("/languages"));
    this.pairs = { at: now, value };
    return value;
  }

  /** Translates several HTML texts at once. If `source` is null, the service detects it. */
  async translate(texts: readonly string[], source: string | null, target: string): Promise<Translated> {
    const now = this.clock.now();
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify([source, target, texts])).digest("hex");
    const kept = this.translations.get(key);
    if (kept && now - kept.at < KEEP_TRANSLATION) return kept.value;
    const request = { q: texts, source: source ?? "auto", target, format: "html", api_key: this.settings.key };
    const value = translatedTexts(await this.ask("/translate", request), texts.length, source);
    this.translations.delete(key);
    if (this.translations.size >= MAX_KEPT) this.translations.delete(this.translations.keys().next().value!);
    this.translations.set(key, { at: now, value });
    return value;
  }

  private async ask(path: string, body?: object): Promise<unknown> {
    try {
      const response = await this.fetch(this.settings.url + path, {
        method: body ? "POST" : "GET",
        headers: body ? { "content-type": "application/json" } : {},
        body: body && JSON.stringify(body),
        accept: ["application/json"],
        maxBytes: MAX_BYTES,
        timeout: TIMEOUT,
        redirects: 0,
      });
      return JSON.parse(new TextDecoder().decode(response.body));
    } catch (error) {
      if (error instanceof OutboundError) throw new Refusal("unavailable", SENTENCES[error.status ?? 0] ?? UNAVAILABLE);
      throw error instanceof SyntaxError ? unexpected() : error;
    }
  }
}

const UNAVAILABLE = "Service Unavailable";

/** Mastodon's messages for these statuses of LibreTranslate. */
const SENTENCES: Record<number, string> = {
  403: "The server-wide usage quota for the translation service has been exceeded.",
  429: "There have been too many requests to the translation service recently.",
};

function unexpected(): Refusal {
  return new Refusal("unavailable", UNAVAILABLE);
}

function languagePairs(answer: unknown): Map<string, string[]> {
  if (!Array.isArray(answer)) throw unexpected();
  const pairs = answer.flatMap((item: unknown): [string, string[]][] => {
    const { code, targets } = objectOf(item);
    if (typeof code !== "string" || !Array.isArray(targets)) return [];
    return [[code, targets.filter((target) => typeof target === "string" && target !== code)]];
  });
  return new Map(pairs);
}

function translatedTexts(answer: unknown, count: number, source: string | null): Translated {
  const { translatedText, detectedLanguage } = objectOf(answer);
  const texts: unknown[] = Array.isArray(translatedText) ? translatedText : [];
  if (texts.length !== count || !texts.every((text) => typeof text === "string")) throw unexpected();
  const [detected] = [detectedLanguage].flat().map((item) => objectOf(item).language);
  return { texts, source: typeof detected === "string" ? detected : (source ?? "und") };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
