import type { Server } from "bun";
import type { AnyElysia } from "elysia";

/** One request, as Elysia passes it to a handler. */
export interface Incoming {
  request: Request;
  /** The values of the named segments of the path. */
  params: Record<string, string>;
  /** Headers for the response, in addition to its own. */
  set: { headers: Record<string, string | number> };
  /** The client's IP address, which `app.ts` derives. */
  clientAddress: string;
  server: Server<unknown>;
}

/** Adds a route whose handler reads the body itself. */
export function addRoute(
  app: AnyElysia,
  method: string,
  path: string,
  handle: (incoming: Incoming) => Response | Promise<Response>,
): void {
  // Elysia reads the source of this function and passes only the properties that its parameter names. Its types don't
  // know `clientAddress`: each part of the app is built without the type of the others.
  const handler = ({ request, params, set, clientAddress, server }: Incoming) =>
    handle({ request, params, set, clientAddress, server });
  app.route(method, path, handler as never, { parse: "none" });
}
