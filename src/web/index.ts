import type { AnyElysia } from "elysia";
import type { Context } from "../context.ts";

/** Every page for people. */
export function webRoutes(_app: AnyElysia, _ctx: Context): void {}
