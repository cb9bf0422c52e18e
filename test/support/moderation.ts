import { liftAction, moderate, type Action } from "../../src/core/moderation/moderation.ts";
import type { TestServer } from "./server.ts";

/** Moderates like the owner on the command line. Notifications are sent when the server's jobs have run. */
export async function act(server: TestServer, action: Action, target: { id: string }, text = ""): Promise<void> {
  moderate(server.ctx, Number(target.id), action, { by: null, text, reportId: null });
  await server.drain();
}

export function undo(server: TestServer, action: Exclude<Action, "none">, target: { id: string }): void {
  liftAction(server.ctx, Number(target.id), action);
}
