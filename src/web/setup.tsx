/** @jsxImportSource preact */
import { createUser, hasUsers, MAX_DISPLAY_NAME, userProblems, type UserProblem } from "../core/people/users.ts";
import { isSetupToken } from "../core/people/setup.ts";
import { Refusal } from "../errors.ts";
import { Field, Head, Hidden, Notice } from "./layout.tsx";
import type { Pages } from "./pages.tsx";
import type { Visit } from "./visit.tsx";

/** The page behind the one-time link, which creates the owner's account. */
export function setupPages(pages: Pages): void {
  pages.get("/setup", (visit) =>
    isSetupToken(visit.ctx, visit.text("token")) ? setupPage(visit, []) : deadLink(visit),
  );

  pages.post("/setup", async (visit) => {
    if (!isSetupToken(visit.ctx, visit.text("token")) || !visit.comesFromUs()) return deadLink(visit);
    const owner = {
      username: visit.text("username"),
      password: visit.text("password"),
      displayName: visit.text("display_name"),
      locale: visit.words.language,
    };
    const problems = userProblems(visit.ctx, owner);
    if (problems.length > 0) return setupPage(visit, problems);
    try {
      const { userId } = await createUser(visit.ctx, { ...owner, role: "owner", onlyAsFirst: true });
      // The account is there: a repeat of all this would find that the link has been used.
      await visit.ctx.db.whenWritable(() => visit.signIn(userId));
    } catch (error) {
      // Two people used the link at the same time, and the other one was faster.
      if (error instanceof Refusal && hasUsers(visit.ctx)) return deadLink(visit);
      throw error;
    }
    return visit.redirect("/welcome");
  });
}

function setupPage(visit: Visit, problems: UserProblem[]): Response {
  const { words, ctx } = visit;
  const { hostname, host } = new URL(ctx.config.origin);
  const problemOf = (field: string) => {
    const problem = problems.find((name) => name.startsWith(field));
    return problem ? words.userProblems[problem] : null;
  };
  return visit.page(
    { status: problems.length > 0 ? 422 : 200, title: words.setupTitle },
    <>
      <Head title={words.setupTitle}>
        <p>{words.setupIntro}</p>
      </Head>
      {isLocal(hostname) && <Notice>{words.localOnly(host)}</Notice>}
      <form method="post" action="/setup">
        <Hidden values={{ token: visit.text("token"), lang: visit.lang }} />
        <Field
          name="username"
          label={words.username}
          value={visit.text("username")}
          autocomplete="username"
          help={words.usernameHelp(`@…@${ctx.config.handleDomain}`)}
          error={problemOf("username")}
          maxLength={30}
          required
          autofocus
        />
        <Field
          name="display_name"
          label={words.displayName}
          optional={words.optional}
          value={visit.text("display_name")}
          autocomplete="name"
          error={problemOf("display_name")}
          maxLength={MAX_DISPLAY_NAME}
        />
        <Field
          name="password"
          label={words.password}
          type="password"
          autocomplete="new-password"
          help={words.passwordHelp}
          error={problemOf("password")}
          minLength={8}
          maxLength={256}
          required
        />
        <button class="primary">{words.makeOwner}</button>
      </form>
    </>,
  );
}

/** The link doesn't work: with an owner, setup is done for good; without one, there is a newer link. */
function deadLink(visit: Visit): Response {
  const { words } = visit;
  const done = hasUsers(visit.ctx);
  const title = done ? words.setupUsedTitle : words.setupUnknownTitle;
  return visit.page(
    { status: done ? 410 : 404, title },
    <>
      <Head title={title}>
        <p>{done ? words.setupUsed : words.setupUnknown}</p>
      </Head>
      <a class="button" href={done ? "/sign-in" : "/"}>
        {done ? words.signIn : words.toStart}
      </a>
    </>,
  );
}

/** Whether a host name can only mean this computer. */
function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.[\d.]+|\[::1\])$/.test(hostname);
}
