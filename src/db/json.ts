/** Lists of ids go into a prepared statement as one parameter: `IN (SELECT value FROM json_each(?))`. */
export function idList(ids: Iterable<number>): string {
  return `[${[...ids].join(",")}]`;
}
