/** @jsxImportSource preact */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { ComponentChildren } from "preact";
import { Hidden } from "../page/forms.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import { signInTexts } from "./texts.ts";

interface PasskeyFormProps {
  page: PageRequest;
  action: string;
  options: PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;
  label: string;
  /** The field for the form's token; `csrf` by default. */
  token?: string;
  /** The field for the answer; `passkey` by default. */
  answer?: string;
  /** The sentence that the script shows if the browser has no passkey. */
  failed?: string;
  /** Why the last answer was refused. */
  problem?: string | undefined;
  isPrimary?: boolean;
  /** Whether the browser may offer passkeys in the field for the name. */
  suggest?: boolean;
  hidden?: Record<string, string>;
  children?: ComponentChildren;
}

/** A form that sends the answer of a passkey. It is hidden until the script of `assets/passkeys.js` shows it. */
export function PasskeyForm(props: PasskeyFormProps) {
  const { page, action, options, problem, token = "csrf", answer = "passkey" } = props;

  return (
    <form
      method="post"
      action={action}
      hidden
      data-passkey={JSON.stringify(options)}
      data-suggest={props.suggest ? "" : undefined}
    >
      <Hidden values={{ [token]: page.csrfToken(), ...(page.lang && { lang: page.lang }), ...props.hidden }} />
      <input type="hidden" name={answer} data-answer />
      {props.children}
      <button class={props.isPrimary ? "primary" : undefined}>{props.label}</button>
      <p class="error" role="alert" data-problem hidden={!problem}>
        {problem ?? props.failed ?? page.texts(signInTexts).passkeyFailed}
      </p>
    </form>
  );
}
