/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { DatabaseLockedRefusal, Refusal, type RefusalKind, ValidationRefusal } from "../../errors.ts";
import { inForm, reasonsOf } from "../i18n/error-messages.ts";
import { UNUSABLE_FILE } from "../i18n/form-errors.ts";
import { Alert } from "./layout.tsx";
import type { PageRequest } from "./page-request.tsx";

/** The problems of a form: a sentence above it, and one beneath each field that it is about. */
export interface FormProblems {
  problem?: string;
  fields: Readonly<Record<string, string>>;
  /** The status of the page that shows them. */
  status: number;
}

export const NO_PROBLEMS: FormProblems = { fields: {}, status: 200 };

/** The form was shown in another session or has been open for too long. Sending it again works. */
export function expiredForm(page: PageRequest): FormProblems {
  return { problem: page.messages.formExpired, fields: {}, status: 403 };
}

/** The fields that the reasons of a refusal are about, by the words of the API's sentences. The first match counts. */
export type FieldsByReason = readonly (readonly [field: string, reason: RegExp])[];

/**
 * The reasons of a refusal in the visitor's language: beside the fields that they are about, as the refusal or
 * `fieldsByReason` says, and the others above the form. Throws anything else again, and a locked database, for which the whole request is repeated.
 */
export function problemsOf(page: PageRequest, error: unknown, fieldsByReason: FieldsByReason = []): FormProblems {
  if (!(error instanceof Refusal) || error instanceof DatabaseLockedRefusal) throw error;
  const { language } = page.messages;
  const found = reasonsWithFields(error, fieldsByReason);
  const byField = Map.groupBy(found, ({ field }) => field);
  const sentences = [...byField].map(([field, reasons]) => {
    const different = new Set(reasons.map(({ reason }) => inForm(reason, language)));
    return [field, [...different].join(" ")] as const;
  });
  return {
    problem: sentences.find(([field]) => field === undefined)?.[1],
    fields: Object.fromEntries(sentences.filter(([field]) => field !== undefined)),
    status: STATUS[error.kind] ?? 422,
  };
}

const STATUS: Partial<Record<RefusalKind, number>> = { too_many: 429, unavailable: 503 };

function reasonsWithFields(
  error: Refusal,
  fieldsByReason: FieldsByReason,
): { field: string | undefined; reason: string }[] {
  if (error instanceof ValidationRefusal) {
    return error.problems.map((problem) => ({
      field: problem.field,
      reason: reasonsOf(new ValidationRefusal([problem]).message).join(", "),
    }));
  }
  return reasonsOf(error.message).map((reason) => ({
    field: fieldsByReason.find(([, words]) => words.test(reason))?.[0],
    reason,
  }));
}

/** The same for a form in which all reasons are about one field. */
export function problemsAt(page: PageRequest, error: unknown, field: string): FormProblems {
  return problemsOf(page, error, [[field, /^/]]);
}

/** The same for a field with a picture. */
export function pictureProblems(page: PageRequest, error: unknown, field: string): FormProblems {
  const isUnusable = error instanceof Refusal && error.message.includes(UNUSABLE_FILE);
  return isUnusable
    ? { fields: { [field]: page.messages.unusablePicture }, status: 422 }
    : problemsAt(page, error, field);
}

interface FormProps {
  page: PageRequest;
  action: string;
  problems?: FormProblems;
  /** For forms with files. */
  multipart?: boolean;
  id?: string;
  class?: string;
  children: ComponentChildren;
}

/** A form of a signed-in user, with what stood in its way above it. */
export function Form({ page, action, problems, multipart, children, ...attributes }: FormProps) {
  return (
    <form method="post" action={action} encType={multipart ? "multipart/form-data" : undefined} {...attributes}>
      <Hidden values={page.lang ? { csrf: page.csrfToken(), lang: page.lang } : { csrf: page.csrfToken() }} />
      {problems?.problem && <Alert>{problems.problem}</Alert>}
      {children}
    </form>
  );
}

/** One button that does something at once, such as to revoke an app. */
export function ActionButton(props: {
  page: PageRequest;
  action: string;
  values?: Record<string, string>;
  /** Says to screen readers what the button is about, where its text alone doesn't. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}) {
  const { page, action, values, label, children } = props;
  return (
    <Form page={page} action={action}>
      {values && <Hidden values={values} />}
      <button class={props.class ?? "small"} aria-label={label}>
        {children}
      </button>
    </Form>
  );
}

export function Hidden(props: { values: Record<string, string> }) {
  return (
    <>
      {Object.entries(props.values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** Tells password managers to which user a password belongs. */
export function Username({ name }: { name: string }) {
  return <input type="text" name="username" value={name} autocomplete="username" readOnly hidden />;
}

interface LabelledProps {
  name: string;
  /** Where a page has several fields of this name. */
  id?: string;
  label: string;
  optional?: string;
  help?: ComponentChildren;
  error?: ComponentChildren;
}

function aboutId({ name, id, help, error }: LabelledProps): string | undefined {
  return error || help ? `${id ?? name}-about` : undefined;
}

/** Attributes that connect an input with its help text or error. The browser scrolls to the first one with an error. */
function described(props: LabelledProps & { autofocus?: boolean }) {
  return {
    id: props.id ?? props.name,
    name: props.name,
    "aria-invalid": props.error ? ("true" as const) : undefined,
    "aria-describedby": aboutId(props),
    autofocus: props.autofocus || Boolean(props.error),
  };
}

/** A label above an input, and a help text or an error beneath. */
function Labelled({ children, ...props }: LabelledProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={props.id ?? props.name}>
        {props.label}
        {props.optional && <span class="optional"> ({props.optional})</span>}
      </label>
      {children}
      <About {...props} />
    </div>
  );
}

function About(props: LabelledProps) {
  const id = aboutId(props);
  if (props.error) {
    return (
      <p class="error" id={id} role="alert">
        {props.error}
      </p>
    );
  }
  return props.help ? (
    <p class="help" id={id}>
      {props.help}
    </p>
  ) : null;
}

interface FieldProps extends LabelledProps {
  type?: "text" | "color" | "password" | "email" | "url" | "search" | "number" | "date" | "datetime-local";
  value?: string;
  autocomplete: string;
  required?: boolean;
  autofocus?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: string | number;
  max?: string | number;
  inputMode?: "numeric" | "text";
  /** Texts that the browser offers while its user types. */
  suggestions?: readonly string[];
  /** For texts that people read: phones may capitalise and correct them. */
  isProse?: boolean;
}

/** Phones must not capitalise or correct a name. */
const NO_CORRECTION = { autocapitalize: "none", autocorrect: "off", spellcheck: false } as const;

/** A labelled input of one line. */
export function Field(props: FieldProps) {
  const listId = props.suggestions && `${props.id ?? props.name}-suggestions`;
  return (
    <Labelled {...props}>
      <input
        {...described(props)}
        type={(props.type ?? "text") as "text"}
        value={props.value}
        autocomplete={props.autocomplete as "username"}
        {...(props.isProse ? { dir: "auto" as const } : NO_CORRECTION)}
        required={props.required}
        minLength={props.minLength}
        maxLength={props.maxLength}
        min={props.min}
        max={props.max}
        inputMode={props.inputMode}
        list={listId}
      />
      {listId && (
        <datalist id={listId}>
          {props.suggestions!.map((value) => (
            <option value={value} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

interface TextAreaProps extends LabelledProps {
  value?: string;
  rows: number;
  required?: boolean;
  autofocus?: boolean;
  lang?: string;
}

/** A labelled text of several lines, in any direction. */
export function TextArea(props: TextAreaProps) {
  return (
    <Labelled {...props}>
      {/* Browsers drop a line break at the start of the text. */}
      <textarea {...described(props)} rows={props.rows} required={props.required} lang={props.lang} dir="auto">
        {props.value?.startsWith("\n") ? `\n${props.value}` : props.value}
      </textarea>
    </Labelled>
  );
}

export interface Choice {
  value: string;
  label: string;
  help?: string;
}

/** A labelled list to choose one of. */
export function Select(
  props: LabelledProps & {
    value: string;
    choices: readonly Choice[];
    /** Whether nothing was chosen so far, so that the script may suggest something. */
    isUnset?: boolean;
  },
) {
  return (
    <Labelled {...props}>
      <select {...described(props)} data-unset={props.isUnset ? "" : undefined}>
        {props.choices.map(({ value, label }) => (
          <option value={value} selected={value === props.value}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** A few choices, all visible. */
export function Radios(props: LabelledProps & { value: string; choices: readonly Choice[] }) {
  const { name, label, value, choices } = props;
  return (
    <fieldset class="field" aria-describedby={aboutId(props)}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label class="choice">
          <input type="radio" name={name} value={choice.value} checked={choice.value === value} />
          <span>
            {choice.label}
            {choice.help && <span class="help">{choice.help}</span>}
          </span>
        </label>
      ))}
      <About {...props} />
    </fieldset>
  );
}

/** A switch with its text beside it. An unchecked one sends nothing. */
export function Checkbox(props: LabelledProps & { checked: boolean; value?: string }) {
  return (
    <div class="field">
      <label class="choice">
        <input {...described(props)} type="checkbox" value={props.value ?? "1"} checked={props.checked} />
        <span>{props.label}</span>
      </label>
      <About {...props} />
    </div>
  );
}

/** Picks files. The form must be `multipart`. */
export function FileField(props: LabelledProps & { accept?: string; multiple?: boolean; required?: boolean }) {
  return (
    <Labelled {...props}>
      <input
        {...described(props)}
        type="file"
        accept={props.accept}
        multiple={props.multiple}
        required={props.required}
      />
    </Labelled>
  );
}
