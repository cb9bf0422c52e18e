import type { Context } from "../../context.ts";
import { localUrl } from "../../core/addresses.ts";
import { weeklyActivity } from "../../core/server/weekly-stats.ts";
import { knownDomains } from "../../core/server/peers.ts";
import { registrationMode } from "../../core/people/registrations.ts";
import { currentTerms, termsOf } from "../../core/server/terms.ts";
import { translationLanguages } from "../../core/statuses/translations.ts";
import { cacheUntilWrite } from "../../db/cache-until-write.ts";
import { activeUsers, showInstance, showInstanceV1, showRules, stats } from "../../entities/instance.ts";
import { showPage, showTerms } from "../../entities/pages.ts";
import { notFound } from "../../errors.ts";
import { cachedFor } from "../../lib/memoize.ts";
import { knownLanguages } from "../../lib/text/languages.ts";
import { MASTODON_VERSION, SOURCE_URL, VERSION } from "../../version.ts";
import { jsonText } from "../paging.ts";
import type { Router } from "../router.ts";

const HOUR = 3600_000;

/** Mastodon's documentation: methods/instance; and NodeInfo 2.0, by which apps identify the server software. */
export function instanceRoutes(routes: Router): void {
  const { ctx } = routes;
  const domains = cachedFor(ctx.clock, HOUR, () => knownDomains(ctx.db));
  const activity = cachedFor(ctx.clock, HOUR, () => showActivity(routes));
  // Every app requests one of them when it starts, and they rarely change.
  const instance = cacheUntilWrite(ctx.db, ctx.clock, () => JSON.stringify(showInstance(ctx)));
  const oldInstance = cacheUntilWrite(ctx.db, ctx.clock, () => JSON.stringify(showInstanceV1(ctx, domains().length)));
  routes
    .get("/api/v2/instance", { open: "always", summary: "Get information about the server" }, () =>
      jsonText(instance()),
    )
    .get("/api/v1/instance", { open: "always", summary: "Get information about the server (deprecated)" }, () =>
      jsonText(oldInstance()),
    )
    .get("/api/v1/instance/rules", { open: true, summary: "List the server's rules" }, () => showRules(ctx))
    .get(
      "/api/v1/instance/extended_description",
      { open: true, summary: "Get the server's extended description" },
      () => showPage(ctx, "extended_description"),
    )
    .get("/api/v1/instance/privacy_policy", { open: true, summary: "Get the server's privacy policy" }, () =>
      showPage(ctx, "privacy_policy"),
    )
    .get("/api/v1/instance/terms_of_service", { open: true, summary: "Get the server's terms of service" }, () =>
      showTerms(ctx, currentTerms(ctx)),
    )
    .get(
      "/api/v1/instance/terms_of_service/:date",
      { open: true, summary: "Get the terms of service of a date" },
      ({ params }) => showTerms(ctx, termsOf(ctx.db, params.date!)),
    )
    .get("/api/v1/instance/languages", { open: true, summary: "List the languages that statuses can have" }, () =>
      knownLanguages(),
    )
    .get(
      "/api/v1/instance/translation_languages",
      { open: true, summary: "List the languages that statuses can be translated to" },
      ({ ctx }) => translationLanguages(ctx),
    )
    .get("/api/v1/instance/peers", { open: true, summary: "List known domains" }, () => {
      if (!ctx.config.peers) throw notFound();
      return domains();
    })
    .get("/api/v1/instance/activity", { open: true, summary: "Get weekly statistics" }, () => {
      if (!ctx.config.activity) throw notFound();
      return activity();
    });
  nodeInfoRoutes(routes);
}

function showActivity({ ctx }: Router) {
  return weeklyActivity(ctx).map(({ start, statuses, logins, registrations }) => ({
    week: String(start / 1000),
    statuses: String(statuses),
    logins: String(logins),
    registrations: String(registrations),
  }));
}

const NODE_INFO = "http://nodeinfo.diaspora.software/ns/schema";

/** NodeInfo (https://nodeinfo.diaspora.software). Some apps read only version 2.0, which is therefore listed first. */
function nodeInfoRoutes(routes: Router): void {
  const { ctx } = routes;
  routes.get(
    "/.well-known/nodeinfo",
    { open: "always", summary: "Get the addresses of the NodeInfo documents" },
    () => ({
      links: [
        ...["2.0", "2.1"].map((version) => ({
          rel: `${NODE_INFO}/${version}`,
          href: localUrl(ctx, `/nodeinfo/${version}`),
        })),
        // FEP-2677: the account of the server itself.
        { rel: "https://www.w3.org/ns/activitystreams#Application", href: localUrl(ctx, "/actor") },
      ],
    }),
  );
  for (const version of ["2.0", "2.1"]) {
    const summary = `Get the NodeInfo document in version ${version}`;
    routes.get(`/nodeinfo/${version}`, { open: "always", summary }, () => {
      const body = JSON.stringify(nodeInfo(ctx, version));
      const headers = { "content-type": `application/json; profile="${NODE_INFO}/${version}#"` };
      return new Response(body, { headers });
    });
  }
}

function nodeInfo(ctx: Context, version: string) {
  const { user_count, status_count } = stats(ctx);
  return {
    version,
    software: { name: "linnet", version: VERSION, ...(version === "2.1" && { repository: SOURCE_URL }) },
    protocols: ["activitypub"],
    services: { inbound: [], outbound: [] },
    openRegistrations: registrationMode(ctx) === "open",
    usage: {
      users: { total: user_count, activeMonth: activeUsers(ctx, 4), activeHalfyear: activeUsers(ctx, 26) },
      localPosts: status_count,
    },
    metadata: {
      nodeName: ctx.config.title,
      nodeDescription: ctx.config.description,
      // Apps built on megalodon reject a software name that they don't know unless this names the API.
      upstream: { name: "mastodon", version: MASTODON_VERSION },
    },
  };
}
