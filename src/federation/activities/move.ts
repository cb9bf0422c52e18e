import { concernsUsers, localSuccessor, moveRemote } from "../../core/people/moves.ts";
import { fetchSuccessor } from "../fetching/actors.ts";
import { localAccountAt } from "../local.ts";
import type { Handler } from "./handler.ts";

/**
 * The sender moves to another account. Only the sender's own move counts, and only if the other account, as its server
 * has it now, names the sender as an alias. Nothing is requested if it concerns no local user.
 */
export const move: Handler = (ctx, sender, { objectId, target }) => {
  if (objectId !== sender.uri || target === null || target === sender.uri) return null;
  const local = localAccountAt(ctx, target);
  if (local) {
    return (tx) => {
      const successor = localSuccessor(tx, local.id);
      if (successor) moveRemote(ctx, tx, sender.id, successor);
    };
  }
  if (!concernsUsers(ctx.db, sender.id)) return null;
  return fetchSuccessor(ctx, target).then((successor) => (tx) => moveRemote(ctx, tx, sender.id, successor));
};
