/** @jsxImportSource preact */
import type { Description, JsonSchema, Operation } from "../../../lib/http/openapi.ts";
import { notFound } from "../../../errors.ts";
import { Head } from "../../page/layout.tsx";
import type { PageOptions } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";

/** A method of the API. */
interface Method {
  /** More than one if they do the same: "PUT or PATCH". */
  verbs: string[];
  path: string;
  operation: Operation;
}

/** A parameter of a method. */
interface Value {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

const PATH = "/api";

/**
 * The API reference for developers: a list of all methods, and a page for each area with their parameters. It is in
 * English, as the names in it are.
 */
export function apiPages(pages: Pages, describe: () => Promise<Description>): void {
  pages.get(PATH, async (page) => {
    const description = await describe();
    const areas = Object.groupBy(methodsOf(description), ({ operation }) => operation.tags[0]!);
    const names = description.tags.map(({ name }) => name).filter((name) => areas[name]);
    const chosen = page.text("area");
    if (chosen === "") return page.render(optionsOf("API"), <AllAreas names={names} areas={areas} />);
    const name = names.find((each) => anchorOf(each) === chosen);
    if (name === undefined) throw notFound();
    return page.render(
      optionsOf(`${name} · API`),
      <article lang="en">
        <div>
          <a class="back" href={PATH}>
            API
          </a>
          <h1>{name}</h1>
        </div>
        <section class="methods">
          {areas[name]!.map((method) => (
            <MethodDetails method={method} schemas={description.components.schemas} />
          ))}
        </section>
      </article>,
    );
  });
}

function optionsOf(title: string): PageOptions {
  return { title, wide: true, isPublic: true };
}

function AllAreas({ names, areas }: { names: string[]; areas: Partial<Record<string, Method[]>> }) {
  return (
    <article lang="en">
      <Head title="API">
        <p>
          This server implements the Mastodon API. Mastodon’s <a href="https://docs.joinmastodon.org">documentation</a>{" "}
          explains its methods, parameters and entities. For programs, this reference is also available as{" "}
          <a href="/api/openapi.json">OpenAPI</a>.
        </p>
      </Head>
      {names.map((name) => (
        <section class="methods">
          <h2>
            <a href={`${PATH}?area=${anchorOf(name)}`}>{name}</a>
          </h2>
          <ul>
            {areas[name]!.map((method) => (
              <li>
                <Summary method={method} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}

function Summary({ method: { verbs, path, operation } }: { method: Method }) {
  return (
    <>
      <span class={`verb ${verbs[0]}`}>{verbs[0]}</span> <code>{path}</code>
      <span class="summary">{operation.summary}</span>
    </>
  );
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}

/** Lists PATCH together with PUT, which does the same. */
function methodsOf({ paths }: Description): Method[] {
  const methods: Method[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(operations)) {
      if (verb === "patch" && operations.put) continue;
      const verbs = verb === "put" && operations.patch ? ["put", "patch"] : [verb];
      methods.push({ verbs, path, operation });
    }
  }
  return methods;
}

type Schemas = Description["components"]["schemas"];

function MethodDetails({ method, schemas }: { method: Method; schemas: Schemas }) {
  const { verbs, operation } = method;
  const values = valuesOf(operation, schemas);
  return (
    <details>
      <summary>
        <Summary method={method} />
      </summary>
      <p class="help">
        {needsOf(operation)}
        {verbs.length > 1 && " PATCH does the same."}
      </p>
      {values.length > 0 && (
        <dl>
          {values.map(({ name, schema, isRequired }) => (
            <div>
              <dt>
                <code>{name}</code>
                {isRequired && <span class="required"> required</span>}
              </dt>
              <dd>{kindOf(schema)}</dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}

/** A sentence that says which token a request needs. */
function needsOf({ security }: Operation): string {
  const ways = security.map(({ oauth }) => oauth);
  const isOpen = ways.includes(undefined);
  const scopes = ways.flatMap((oauth) => oauth ?? []).join(" or ");
  if (scopes) return isOpen ? `No token required. A token needs the scope ${scopes}.` : `Requires the scope ${scopes}.`;
  return isOpen ? "No token required." : "Requires a token.";
}

/** All parameters except those in the path, each with its name in a form. */
function valuesOf({ parameters = [], requestBody }: Operation, schemas: Schemas): Value[] {
  const [content] = Object.values(requestBody?.content ?? {});
  const name = content?.schema.$ref?.split("/").at(-1);
  const body = name === undefined ? content?.schema : schemas[name];
  return [
    ...parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name, schema, required }) => ({ name, schema, isRequired: required === true })),
    ...membersOf(body, (member) => member),
  ];
}

function membersOf(schema: JsonSchema | undefined, nameOf: (member: string) => string): Value[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([member, inner]) => {
    const name = nameOf(member);
    if (inner.properties) return membersOf(inner, (innermost) => `${name}[${innermost}]`);
    if (inner.items?.properties) return membersOf(inner.items, (innermost) => `${name}[][${innermost}]`);
    const isRequired = schema?.required?.includes(member) ?? false;
    return [{ name: inner.type === "array" ? `${name}[]` : name, schema: inner, isRequired }];
  });
}

/** The type of a parameter, in a few words. */
function kindOf(schema: JsonSchema): string {
  if (schema.type === "array") return `array of ${kindOf(schema.items ?? {})}`;
  const fallback = schema.default === undefined || schema.default === "" ? "" : ` (default: ${String(schema.default)})`;
  if (schema.enum) return `one of ${schema.enum.join(", ")}${fallback}`;
  if (schema.format === "binary") return "file";
  if (schema.type === "boolean") return `boolean${fallback}`;
  if (schema.type === "integer" || schema.type === "number") return `${schema.type}${rangeOf(schema)}${fallback}`;
  return `string${fallback}`;
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}
