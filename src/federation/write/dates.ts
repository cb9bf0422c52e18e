/** A time as ActivityStreams writes it, without milliseconds: some servers refuse them. */
export function dateTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
