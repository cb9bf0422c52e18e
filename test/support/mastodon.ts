import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Facts } from "../fixtures/mastodon-facts.ts";
import type { Json } from "./client.ts";

/** Mastodon's API as facts; see mastodon-facts.ts for where they are from. Without them no test of the API runs. */
const FACTS = join(import.meta.dir, "../fixtures/mastodon-facts.json");

export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An empty text stands for none, as Mastodon has it. */
const FORMATS = {
  "date-time": (text: string) => text === "" || MOMENT.test(text),
  date: /^(\d{4}-\d\d-\d\d)?$/,
  uri: (text: string) => text === "" || URL.canParse(text),
  email: true,
  "iso-639-1": true,
} as const;

/** The facts, corrected where they differ from what Mastodon does. */
function readFacts(): Facts {
  // Its alternatives overlap: a shallow quote is a quote, too.
  const facts: Facts = JSON.parse(readFileSync(FACTS, "utf8").replaceAll('"oneOf"', '"anyOf"'));
  const { ValidationError, WebPushSubscription, OEmbedResponse } = facts.entities;
  // Mastodon says which field is wrong when somebody signs up, and nowhere else.
  ValidationError!.required = ["error"];
  // A number, as the documentation's example has it.
  WebPushSubscription!.properties!.id = { type: "integer" };
  OEmbedResponse!.properties!.height = { type: ["integer", "null"] };
  // All of them, as the documentation's title says.
  facts.methods["GET /api/v1/filters"]!.answers[200] = { type: "array", items: { $ref: "#/entities/V1Filter" } };
  // Mastodon shows nothing of what it has removed.
  facts.methods["DELETE /api/v2/filters/statuses/{id}"]!.answers[200] = "empty";
  // Of 4.3 before it was released, and left out; its path would be taken for a notification called "policy".
  for (const verb of ["GET", "PUT"]) {
    const answers = { 200: { $ref: "#/entities/V1NotificationPolicy" } };
    facts.methods[`${verb} /api/v1/notifications/policy`] = { answers };
  }
  return facts;
}

/** Holds what we answer against the facts. */
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

  /** What is wrong with a value that should be one of Mastodon's entities. */
  entityProblems(value: Json, name: string): string[] {
    return this.problems(value, ["entities", name]);
  }

  /** What is wrong with the answer to a call; nothing where Mastodon documents nothing. `method` is in capitals. */
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

  /** The path as it is documented: of those that match, the one with the fewest parameters. */
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

/** A step of a JSON pointer, as it stands in a URI. */
function pointer(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

export const mastodon = new Description();
