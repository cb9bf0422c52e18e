/** @jsxImportSource preact */
import { localHandle, localUrl } from "../../core/addresses.ts";
import { invitationOver, isInvited } from "../../core/people/invitations.ts";
import { prepareRegistration, register } from "../../core/people/registrations.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { inLanguage } from "../i18n/error-messages.ts";
import { waitFor } from "../page/error-pages.tsx";
import { Checkbox, expiredForm, Field, Form, NO_PROBLEMS, problemsOf, type FormProblems } from "../page/forms.tsx";
import { Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { signInTexts } from "./texts.ts";

/** The page on which invited visitors sign up. */
export function invitePages(pages: Pages): void {
  pages.get("/invite/:code", (page) => {
    const code = page.path[1]!;
    if (!isInvited(page.ctx, page.ctx.db, code)) return overPage(page);
    return wantsJson(page) ? invitationJson(page, code) : invitePage(page);
  });
  pages.post("/invite/:code", (page) => {
    if (!isInvited(page.ctx, page.ctx.db, page.path[1]!)) return overPage(page);
    return page.isFormValid() ? signUp(page) : invitePage(page, expiredForm(page));
  });
}

function wantsJson({ request }: PageRequest): boolean {
  return (request.headers.get("accept") ?? "").startsWith("application/json");
}

/** As Mastodon responds to an app that is given the link. */
function invitationJson({ ctx }: PageRequest, code: string): Response {
  return Response.json({ invite_code: code, instance_api_url: localUrl(ctx, "/api/v2/instance") });
}

async function signUp(page: PageRequest): Promise<Response> {
  const { ctx, messages } = page;
  // The same as for sign-ups with an app: see api/router.ts.
  const rate = ctx.rates?.registrations.take(addressKey(page.address), ctx.clock.now());
  if (rate?.exceeded) {
    const { minutes } = waitFor(page, rate);
    return invitePage(page, { problem: messages.tooManyRequests(minutes), fields: {}, status: 429 });
  }
  try {
    const user = await prepareRegistration(ctx, {
      username: page.text("username").trim(),
      email: page.text("email").trim(),
      password: page.text("password"),
      agreement: page.isChecked("agreement"),
      locale: messages.language,
      reason: "",
      inviteCode: page.path[1]!,
    });
    const userId = await ctx.db.whenWritable(() => ctx.db.transaction((tx) => register(ctx, tx, user)));
    if (user.unconfirmed) return confirmFirstPage(page);
    await ctx.db.whenWritable(() => page.signIn(userId));
    return page.redirect("/welcome");
  } catch (error) {
    // Another visitor was faster with its last use.
    if (!isInvited(ctx, ctx.db, page.path[1]!)) return overPage(page);
    return invitePage(page, problemsOf(page, error));
  }
}

function invitePage(page: PageRequest, problems: FormProblems = NO_PROBLEMS): Response {
  const { ctx, messages } = page;
  const texts = page.texts(signInTexts);
  const title = texts.inviteTitle(ctx.config.title);
  const { fields } = problems;
  return page.render(
    { title, status: problems.status, isFocused: true, asksTimeZone: true },
    <>
      <Head title={title}>
        <p>{ctx.config.description}</p>
      </Head>
      <Form page={page} action={`/invite/${page.path[1]!}`} problems={problems}>
        <Field
          name="username"
          label={messages.username}
          value={page.text("username")}
          autocomplete="username"
          help={messages.usernameHelp(localHandle(ctx, "…"))}
          error={fields["username"]}
          required
          autofocus
        />
        <Field
          name="email"
          type="email"
          label={texts.email}
          value={page.text("email")}
          autocomplete="email"
          help={texts.emailHelp}
          error={fields["email"]}
          required
        />
        <Field
          name="password"
          type="password"
          label={messages.password}
          autocomplete="new-password"
          help={messages.passwordHelp}
          error={fields["password"]}
          minLength={8}
          required
        />
        <Checkbox
          name="agreement"
          label={texts.agreement}
          help={
            <>
              <a href="/about" target="_blank">
                {messages.about}
              </a>
              {" · "}
              <a href="/privacy-policy" target="_blank">
                {messages.privacyPolicy}
              </a>
            </>
          }
          error={fields["agreement"]}
          checked={page.isChecked("agreement")}
        />
        <button class="primary">{messages.createAccount}</button>
      </Form>
    </>,
  );
}

function confirmFirstPage(page: PageRequest): Response {
  const texts = page.texts(signInTexts);
  const title = texts.confirmFirst;
  return page.render(
    { title, isFocused: true },
    <Head title={title}>
      <p>{texts.confirmFirstHelp(page.text("email").trim())}</p>
    </Head>,
  );
}

function overPage(page: PageRequest): Response {
  const { messages } = page;
  const { message } = invitationOver();
  if (wantsJson(page)) return Response.json({ error: inLanguage(message, messages.language) }, { status: 401 });
  const title = page.texts(signInTexts).inviteOver;
  return page.render(
    { title, status: 410, isFocused: true },
    <>
      <Head title={title}>
        <p>{inLanguage(message, messages.language)}</p>
      </Head>
      <a class="button" href="/">
        {messages.toStartPage}
      </a>
    </>,
  );
}
