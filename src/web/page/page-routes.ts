import type { AnyElysia } from "elysia";
import type { Context } from "../../context.ts";
import { incomingFolder } from "../../core/media/receive.ts";
import { Refusal } from "../../errors.ts";
import { withTemporaryFolder } from "../../lib/files.ts";
import { addRoute, type Incoming } from "../../lib/http/elysia.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { parseQuery, readParams, searchOf, type Params } from "../../lib/http/params.ts";
import { notFoundPage, refusalPage, tooManyPage } from "./error-pages.tsx";
import { expiredForm, NO_PROBLEMS, type FormProblems } from "./forms.tsx";
import { PageRequest, type UserPage } from "./page-request.tsx";
import { resubmitPage } from "./resubmit.tsx";

type Answer = Response | Promise<Response>;
type Handler = (page: PageRequest) => Answer;
type UserHandler = (page: UserPage) => Answer;
/** Shows a page with its form. The form has what was typed, if `page.params` has it. */
type FormPage = (page: UserPage, problems: FormProblems) => Answer;

/** More than the forms of the pages need, except for their files. */
const MAX_BYTES = 256 * 1024;

interface UserForm {
  /** Shows the form again if it has expired. */
  show: FormPage;
  /** Does what the form asks for. Only called if the form came from a page of this server, shown in this session. */
  submit: UserHandler;
  /** Whether the user must have proved recently, in this browser, who they are. */
  isSensitive?: boolean;
  /** For forms with files: the most bytes that the request may have. The files are removed after the response. */
  maxBytes?: number;
  /** Shows the form, which is empty then, if its files are larger. Without it, a page says so. */
  showTooLarge?: UserHandler;
}

/** Adds pages to the app: each request is counted, its parameters are read, and a refusal is shown on a page. */
export class Pages {
  /**
   * `signIn` shows the sign-in page, which leads back to the requested page. `obstacleTo` returns the page that asks
   * users again who they are; null if they may see a sensitive page.
   */
  constructor(
    readonly app: AnyElysia,
    readonly ctx: Context,
    private readonly signIn: Handler,
    private readonly obstacleTo: (page: UserPage) => Promise<Response | null>,
  ) {}

  get(path: string, handler: Handler): void {
    this.route("GET", path, handler);
  }

  post(path: string, handler: Handler): void {
    this.route("POST", path, handler, (request) => readParams(request, MAX_BYTES));
  }

  /** Adds a page for signed-in users. Others get the sign-in page, and this page afterwards. */
  userGet(path: string, handler: UserHandler, { isSensitive = false } = {}): void {
    const guarded = isSensitive ? this.guarded(handler) : handler;
    this.get(path, (page) => (page.isOfUser() ? guarded(page) : this.signIn(page)));
  }

  /** Adds the page of a form for signed-in users. */
  userForm(path: string, form: UserForm): void {
    this.userGet(path, (page) => form.show(page, NO_PROBLEMS), form);
    this.userPost(path, form);
  }

  /** Adds what a form of signed-in users does. If they are signed out by now, they can sign in and send it again. */
  userPost(path: string, { show, submit, maxBytes, showTooLarge, isSensitive }: UserForm): void {
    const answer = (page: UserPage) => (page.isFormValid() ? submit(page) : show(page, expiredForm(page)));
    const guarded = isSensitive ? this.guarded(answer) : answer;
    // Another site's form comes without the session's cookie, and must not be offered as if it were the user's own.
    const withoutSession = (page: PageRequest) => (page.isSameOrigin() ? resubmitPage(page) : this.signIn(page));
    const handler = (page: PageRequest) => (page.isOfUser() ? guarded(page) : withoutSession(page));
    if (maxBytes === undefined) this.post(path, handler);
    else addRoute(this.app, "POST", path, (incoming) => this.answerUpload(incoming, handler, maxBytes, showTooLarge));
  }

  private guarded(handler: UserHandler): UserHandler {
    return async (page) => (await this.obstacleTo(page)) ?? handler(page);
  }

  private route(
    method: string,
    path: string,
    handler: Handler,
    read: (request: Request) => Params | Promise<Params> = (request) => parseQuery(searchOf(request.url)),
  ): void {
    addRoute(this.app, method, path, (incoming) => this.answer(incoming, handler, read));
  }

  /** The files of a form go to the disk as they arrive, but only for a signed-in user's own page. */
  private async answerUpload(
    incoming: Incoming,
    handler: Handler,
    maxBytes: number,
    showTooLarge: UserHandler | undefined,
  ): Promise<Response> {
    const page = new PageRequest(this.ctx, incoming.request, incoming.clientAddress, {});
    const allowed = page.isOfUser() && page.isSameOrigin() ? maxBytes : MAX_BYTES;
    let isTooLarge = false;
    const read = (request: Request, folder: string) =>
      readParams(request, allowed, folder).catch((error: unknown) => {
        isTooLarge = showTooLarge !== undefined && error instanceof Refusal && error.kind === "too_large";
        if (!isTooLarge) throw error;
        return {};
      });
    const answer = (page: PageRequest) => (isTooLarge && page.isOfUser() ? showTooLarge!(page) : handler(page));
    return withTemporaryFolder(incomingFolder(this.ctx), (folder) =>
      this.answer(incoming, answer, (request) => read(request, folder)),
    );
  }

  private async answer(
    { request, clientAddress }: Incoming,
    handler: Handler,
    read: (request: Request) => Params | Promise<Params>,
  ): Promise<Response> {
    const { ctx } = this;
    const rate = ctx.rates?.pages.take(addressKey(clientAddress), ctx.clock.now());
    if (rate?.exceeded) return tooManyPage(new PageRequest(ctx, request, clientAddress, {}), rate);
    try {
      const params = await read(request);
      return await ctx.db.whenWritable(() => handler(new PageRequest(ctx, request, clientAddress, params)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const page = new PageRequest(ctx, request, clientAddress, {});
      if (error.kind === "not_found") return notFoundPage(page);
      const response = refusalPage(page, error);
      if (response.status >= 500) ctx.requestLog.end(request, response.status, error.message);
      return response;
    }
  }
}
