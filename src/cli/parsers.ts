import { parseDomain } from "../lib/text/domains.ts";
import { parseId } from "../lib/ids.ts";
import { parseDate } from "../lib/dates.ts";
import { ArgumentError } from "./argument-error.ts";
import { type Parser } from "./command.ts";

const LAST_MILLISECOND = 24 * 3600_000 - 1;

/** Refuses an argument. `wanted` follows "should be". */
export function unsuitable(name: string, given: string, wanted: string): never {
  throw new ArgumentError(`${name} is "${given}", but should be ${wanted}.`);
}

/** An id. `list` is the command that lists ids of this kind. */
export function idFrom(list: string): Parser<number> {
  return (given, name) => parseId(given) ?? unsuitable(name, given, `an id from "linnet ${list}"`);
}

export const filled: Parser<string> = (given, name) => {
  if (given.trim() === "") throw new ArgumentError(`${name} is empty.`);
  return given;
};

export function oneOf<T extends string>(values: readonly T[]): Parser<T> {
  return (given, name) =>
    values.find((known) => known === given) ?? unsuitable(name, given, `one of ${values.join(", ")}`);
}

/** A domain in its canonical form. */
export const domain: Parser<string> = (given, name) =>
  parseDomain(given) ?? unsuitable(name, given, "one like example.org");

/** Milliseconds since 1970. */
export const time: Parser<number> = (given, name) =>
  parseDate(given) ?? unsuitable(name, given, "a time like 2026-12-24T18:00Z, or a date");

/** Like `time`, but a date means its last millisecond. */
export const endTime: Parser<number> = (given, name) => {
  const start = time(given, name);
  return /[T ]/i.test(given.trim()) ? start : start + LAST_MILLISECOND;
};

/** Applies `parse`; null for an empty value, which removes the setting. */
export function orNone<T>(parse: Parser<T>): Parser<T | null> {
  return (given, name) => (given === "" ? null : parse(given, name));
}
