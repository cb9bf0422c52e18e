import type { Reads, Tx } from "../../db/open.ts";

/** A value of the server's own key-value store; null if there is none. */
export function stateOf(db: Reads, name: string): string | null {
  return db.get<{ value: string }>("SELECT value FROM server_state WHERE name = +$name", { name })?.value ?? null;
}

export function setState(tx: Tx, name: string, value: string): void {
  tx.run(
    "INSERT INTO server_state (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    { name, value },
  );
}
