import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Facts } from "../fixtures/mastodon-facts.ts";
import type { Json } from "./client.ts";

/** Facts about Mastodon's API; mastodon-facts.ts names their source. No API test runs without them. */
const FACTS = join(import.meta.dir, "../fixtures/mastodon-facts.json");

export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Mastodon uses an empty text for a missing value. */
const FORMATS = {
  "date-time": (text: string) => text === "" || MOMENT.test(text),
  date: /^(\d{4}-\d\d-\d\d)?$/,
  uri: (text: string) => text === "" || URL.canParse(text),
  email: true,
  "iso-639-1": true,
} as const;

/** Reads the facts, and corrects them where Mastodon behaves differently. */
function readFacts(): Facts {
  // The alternatives overlap: a shallow quote is a quote, too.
  const facts: Facts = JSON.parse(readFileSync(FACTS, "utf8").replaceAll('"oneOf"', '"anyOf"'));
  const { ValidationError, WebPushSubscription, OEmbedResponse } = facts.entities;
  // Mastodon names the invalid field only in errors of sign-ups.
  ValidationError!.required = ["error"];
  // A number, as in the documentation's example.
  WebPushSubscription!.properties!.id = { type: "integer" };
  OEmbedResponse!.properties!.height = { type: ["integer", "null"] };
  // Apps that ask for Pleroma's type of emoji reactions, or for our type of sign-ins, get it.
  for (const name of ["NotificationTypeEnum", "NotificationGroupTypeEnum"]) {
    (facts.entities[name]!.enum as string[]).push("pleroma:emoji_reaction", "linnet.sign_in");
  }
  // A list, as in the documentation's title.
  facts.methods["GET /api/v1/filters"]!.answers[200] = { type: "array", items: { $ref: "#/entities/V1Filter" } };
  // Mastodon returns nothing after a deletion.
  facts.methods["DELETE /api/v2/filters/statuses/{id}"]!.answers[200] = "empty";
  // Linnet lacks this pre-release method of 4.3, whose path would match that of a notification named "policy".
  for (const verb of ["GET", "PUT"]) {
    const answers = { 200: { $ref: "#/entities/V1NotificationPolicy" } };
    facts.methods[`${verb} /api/v1/notifications/policy`] = { answers };
  }
  return facts;
}

/** Compares responses with the facts. */
class Description {
  private readonly facts = readFacts();
  private readonly ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    formats: FORMATS,
    schemas: { facts: this.facts },
  });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly paths = [...new Set(Object.keys(this.facts.methods).map((name) => name.split(" ")[1]!))].map(
    (path) => path.split("/"),
  );

  /** The differences between a value and one of Mastodon's entities. */
  entityProblems(value: Json, name: string): string[] {
    return this.problems(value, ["entities", name]);
  }

  /**
   * The differences between a response and its documentation; none if nothing is documented. `method` is in capitals.
   */
  answerProblems(method: string, path: string, status: number, answer: Json): string[] {
    const name = `${method} ${this.templateOf(path)}`;
    const facts = this.facts.methods[name];
    if (!facts) return [];
    const expected = facts.answers[status];
    if (expected === undefined) return status < 400 ? [] : this.entityProblems(answer, "Error");
    if (expected === "empty") return Bun.deepEquals(answer, {}) ? [] : ["is not an empty object"];
    if (expected === "unknown") return [];
    return this.problems(answer, ["methods", name, "answers", String(status)]);
  }

  private problems(value: Json, steps: readonly string[]): string[] {
    const ref = `facts#/${steps.map(pointer).join("/")}`;
    let validate = this.validators.get(ref);
    if (!validate) this.validators.set(ref, (validate = this.ajv.compile({ $ref: ref })));
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** The documented path: among matching ones, that with the fewest parameters. */
  private templateOf(path: string): string | null {
    const asked = path.replace(/\/$/, "").split("/");
    const matching = this.paths.filter(
      (template) =>
        template.length === asked.length && template.every((step, at) => step.startsWith("{") || step === asked[at]),
    );
    const parameters = (template: string[]) => template.filter((step) => step.startsWith("{")).length;
    return matching.toSorted((a, b) => parameters(a) - parameters(b))[0]?.join("/") ?? null;
  }
}

/** Encodes a step of a JSON pointer for a URI fragment. */
function pointer(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

export const mastodon = new Description();
