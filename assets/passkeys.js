/*
 * Asks the browser for a passkey, or for a new one, and sends its answer with the form. Without this script, the forms
 * stay hidden.
 */
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const encode = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const withIds = (list = []) => list.map((each) => ({ ...each, id: decode(each.id) }));

function ask(options, more) {
  const publicKey = { ...options, challenge: decode(options.challenge) };
  if (!options.user) {
    publicKey.allowCredentials = withIds(options.allowCredentials);
    return navigator.credentials.get({ publicKey, ...more });
  }
  publicKey.user = { ...options.user, id: decode(options.user.id) };
  publicKey.excludeCredentials = withIds(options.excludeCredentials);
  return navigator.credentials.create({ publicKey, ...more });
}

function answerOf({ id, type, response }) {
  const fields = ["clientDataJSON", "authenticatorData", "signature", "userHandle", "attestationObject"];
  const answer = { transports: response.getTransports?.() };
  for (const field of fields) if (response[field]) answer[field] = encode(response[field]);
  return JSON.stringify({ id, rawId: id, type, response: answer, clientExtensionResults: {} });
}

function start(form) {
  const options = JSON.parse(form.dataset.passkey);
  const [input, problem] = [form.querySelector("[data-answer]"), form.querySelector("[data-problem]")];
  const send = (credential) => {
    input.value = answerOf(credential);
    form.submit();
  };
  let waiting = new AbortController();
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // Only one request may be under way.
    waiting.abort();
    waiting = new AbortController();
    problem.hidden = true;
    try {
      send(await ask(options, { signal: waiting.signal }));
    } catch {
      problem.hidden = false;
    }
  });
  if ("suggest" in form.dataset) suggest(options, waiting.signal, send);
}

/** Lets the browser offer passkeys in the field for the name, if it can. */
async function suggest(options, signal, send) {
  try {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    send(await ask(options, { mediation: "conditional", signal }));
  } catch {
    // The user chose another way to sign in.
  }
}

if (window.PublicKeyCredential) document.querySelectorAll("form[data-passkey]").forEach(start);
