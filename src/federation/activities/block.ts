import { storeBlock } from "../../core/people/blocks.ts";
import { localAccountAt } from "../local.ts";
import type { Handler } from "./handler.ts";

export const block: Handler = (ctx, sender, { id: uri, objectId }) => {
  const target = localAccountAt(ctx, objectId);
  return target && ((tx) => storeBlock(ctx, tx, { accountId: sender.id, targetId: target.id, uri }));
};
