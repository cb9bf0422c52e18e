/** A list of ids as one parameter of a prepared statement: `IN (SELECT value FROM json_each($ids))`. */
export function idList(ids: Iterable<number>): string {
  return `[${[...ids].join(",")}]`;
}
