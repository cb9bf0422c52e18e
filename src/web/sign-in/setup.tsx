/** @jsxImportSource preact */
import { createUser, hasUsers, userProblems, type UserProblem } from "../../core/people/users.ts";
import { isSetupToken } from "../../core/people/setup.ts";
import { Refusal } from "../../errors.ts";
import { isLoopbackName } from "../../lib/http/ip-addresses.ts";
import { Field, Hidden } from "../page/forms.tsx";
import { Head, Notice } from "../page/layout.tsx";
import type { Pages } from "../page/page-routes.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { localHandle } from "../../core/addresses.ts";

/** The page behind the one-time link, which creates the owner's account. */
export function setupPages(pages: Pages): void {
  pages.get("/setup", (page) =>
    isSetupToken(page.ctx, page.text("token")) ? setupPage(page, []) : invalidLinkPage(page),
  );

  pages.post("/setup", async (page) => {
    if (!isSetupToken(page.ctx, page.text("token")) || !page.isSameOrigin()) return invalidLinkPage(page);
    const owner = {
      username: page.text("username"),
      password: page.text("password"),
      displayName: page.text("display_name"),
      locale: page.messages.language,
    };
    const problems = userProblems(page.ctx, owner);
    if (problems.length > 0) return setupPage(page, problems);
    try {
      const { userId } = await createUser(page.ctx, { ...owner, role: "owner", onlyAsFirst: true });
      // The account is there: a repeat of all this would find that the link has been used.
      await page.ctx.db.whenWritable(() => page.signIn(userId));
    } catch (error) {
      // Two people used the link at the same time, and the other one was faster.
      if (error instanceof Refusal && hasUsers(page.ctx)) return invalidLinkPage(page);
      throw error;
    }
    return page.redirect("/welcome");
  });
}

function setupPage(page: PageRequest, problems: UserProblem[]): Response {
  const { messages, ctx } = page;
  const { hostname, host } = new URL(ctx.config.origin);
  const problemOf = (field: string) => {
    const problem = problems.find((name) => name.startsWith(field));
    return problem ? messages.userProblems[problem] : null;
  };
  return page.render(
    { status: problems.length > 0 ? 422 : 200, title: messages.setupTitle, isFocused: true, asksTimeZone: true },
    <>
      <Head title={messages.setupTitle}>
        <p>{messages.setupIntro}</p>
      </Head>
      {isLoopbackName(hostname) && <Notice>{messages.localOnly(host)}</Notice>}
      <form method="post" action="/setup">
        <Hidden values={{ token: page.text("token"), lang: page.lang }} />
        <Field
          name="username"
          label={messages.username}
          value={page.text("username")}
          autocomplete="username"
          help={messages.usernameHelp(localHandle(ctx, "…"))}
          error={problemOf("username")}
          required
          autofocus
        />
        <Field
          name="display_name"
          label={messages.displayName}
          optional={messages.optional}
          value={page.text("display_name")}
          autocomplete="name"
          error={problemOf("display_name")}
        />
        <Field
          name="password"
          label={messages.password}
          type="password"
          autocomplete="new-password"
          help={messages.passwordHelp}
          error={problemOf("password")}
          minLength={8}
          required
        />
        <button class="primary">{messages.createAccount}</button>
      </form>
    </>,
  );
}

/** The link doesn't work: with an owner, setup is done for good; without one, there is a newer link. */
function invalidLinkPage(page: PageRequest): Response {
  const { messages } = page;
  const done = hasUsers(page.ctx);
  const title = done ? messages.setupUsedTitle : messages.setupReplacedTitle;
  return page.render(
    { status: done ? 410 : 404, title, isFocused: true },
    <>
      <Head title={title}>
        <p>{done ? messages.setupUsed : messages.setupReplaced}</p>
      </Head>
      <a class="button" href={done ? "/sign-in" : "/"}>
        {done ? messages.signIn : messages.toStartPage}
      </a>
    </>,
  );
}
