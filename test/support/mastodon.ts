import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json } from "./client.ts";

/** Mastodon's API as the community's OpenAPI document describes it. It is not ours to carry along, so it may be missing. */
const DOCUMENT = join(import.meta.dir, "../../../shared/mastodon-openapi.json");

interface Response {
  description: string;
  content?: Record<string, { schema: object }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { schemas: Record<string, { properties: Record<string, object>; required: string[] }> };
}

export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An empty text stands for none, as Mastodon has it. */
const FORMATS = {
  "date-time": (text: string) => text === "" || MOMENT.test(text),
  date: /^(\d{4}-\d\d-\d\d)?$/,
  uri: (text: string) => text === "" || URL.canParse(text),
  email: true,
  "iso-639-1": true,
} as const;

/** The document, put right where it says something else than Mastodon does. */
function readDocument(): Document {
  // Its alternatives overlap: a shallow quote is a quote, too.
  const document: Document = JSON.parse(readFileSync(DOCUMENT, "utf8").replaceAll('"oneOf"', '"anyOf"'));
  const { paths } = document;
  const { ValidationError, WebPushSubscription, OEmbedResponse } = document.components.schemas;
  // Mastodon says which field is wrong when somebody signs up, and nowhere else.
  ValidationError!.required = ["error"];
  // A number, as the example beside it has it.
  WebPushSubscription!.properties.id = { type: "integer" };
  OEmbedResponse!.properties.height = { type: ["integer", "null"] };
  // All of them, as its own title says.
  paths["/api/v1/filters"]!.get!.responses[200]!.content!["application/json"]!.schema = {
    type: "array",
    items: { $ref: "#/components/schemas/V1Filter" },
  };
  // Mastodon shows nothing of what it has removed.
  paths["/api/v2/filters/statuses/{id}"]!.delete!.responses[200] = { description: "Empty" };
  // Of 4.3 before it was released, and left out; its path would be taken for a notification called "policy".
  const policy = { schema: { $ref: "#/components/schemas/V1NotificationPolicy" } };
  const answers = { 200: { description: "V1NotificationPolicy", content: { "application/json": policy } } };
  paths["/api/v1/notifications/policy"] = { get: { responses: answers }, put: { responses: answers } };
  return document;
}

/** Holds what we answer against the document. */
class Description {
  private readonly document = readDocument();
  private readonly ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    formats: FORMATS,
    schemas: { document: this.document },
  });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates = Object.keys(this.document.paths).map((path) => path.split("/"));

  /** What is wrong with a value that should be one of the document's entities. */
  entityProblems(value: Json, name: string): string[] {
    return this.problems(value, ["components", "schemas", name]);
  }

  /** What is wrong with the answer to a call; nothing where the document says nothing. */
  answerProblems(method: string, path: string, status: number, answer: Json): string[] {
    const template = this.templateOf(path);
    const operation = template === null ? undefined : this.document.paths[template]![method];
    if (!operation) return [];
    const response = operation.responses[status];
    if (!response) return status < 400 ? [] : this.entityProblems(answer, "Error");
    const [type] = Object.keys(response.content ?? {});
    if (type === undefined) {
      return response.description === "Empty" && !Bun.deepEquals(answer, {}) ? ["is not an empty object"] : [];
    }
    return this.problems(answer, ["paths", template!, method, "responses", String(status), "content", type, "schema"]);
  }

  private problems(value: Json, steps: readonly string[]): string[] {
    const ref = `document#/${steps.map(pointer).join("/")}`;
    let validate = this.validators.get(ref);
    if (!validate) this.validators.set(ref, (validate = this.ajv.compile({ $ref: ref })));
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** The path as the document writes it: of those that match, the one with the fewest parameters. */
  private templateOf(path: string): string | null {
    const asked = path.replace(/\/$/, "").split("/");
    const matching = this.templates.filter(
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

export const mastodon = existsSync(DOCUMENT) ? new Description() : null;
