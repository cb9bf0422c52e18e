import { registrationMode } from "../core/registrations.ts";
import { activeUsers, showInstance, showInstanceV1, showRules, stats } from "../entities/instance.ts";
import { VERSION } from "../version.ts";
import type { Router } from "./router.ts";

/** Mastodon's documentation: methods/instance; and NodeInfo 2.0, by which apps tell servers apart. */
export function instanceRoutes(routes: Router): void {
  routes
    .get("/api/v2/instance", { open: "always" }, ({ ctx }) => showInstance(ctx))
    .get("/api/v1/instance", { open: "always" }, ({ ctx }) => showInstanceV1(ctx))
    .get("/api/v1/instance/rules", { open: true }, ({ ctx }) => showRules(ctx))
    .get("/.well-known/nodeinfo", { open: "always" }, ({ ctx }) => ({
      links: [{ rel: "http://nodeinfo.diaspora.software/ns/schema/2.0", href: `${ctx.config.origin}/nodeinfo/2.0` }],
    }))
    .get("/nodeinfo/2.0", { open: "always" }, ({ ctx }) => {
      const { user_count, status_count } = stats(ctx);
      return {
        version: "2.0",
        software: { name: "linnet", version: VERSION },
        protocols: [],
        services: { inbound: [], outbound: [] },
        openRegistrations: registrationMode(ctx) === "open",
        usage: { users: { total: user_count, activeMonth: activeUsers(ctx) }, localPosts: status_count },
        metadata: { nodeName: ctx.config.title, nodeDescription: ctx.config.description },
      };
    });
}
