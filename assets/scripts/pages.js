// Makes some pages more pleasant. All of them work without it.

const one = (selector) => document.querySelector(selector);
const language = document.documentElement.lang;

/** Says how many posts or notifications are newer than the page, with a link to them, and keeps the bar current. */
function liveUpdates(list) {
  const kind = list.dataset.live;
  const news = one(".news");
  const known = { home: new Set(), notifications: new Set() };
  const title = document.title;

  const announce = () => {
    const count = known[kind].size;
    const isOne = new Intl.PluralRules(language).select(count) === "one";
    const text = (isOne ? news.dataset.one : news.dataset.many).replace("{count}", count.toLocaleString(language));
    const link = document.createElement("a");
    link.className = "button small";
    link.href = location.pathname;
    link.textContent = text;
    news.replaceChildren(link);
    document.title = `(${count}) ${title}`;
  };

  /** The number beside "Notifications", after those that the page was shown with. */
  const bar = one('.top a[href="/notifications"]');
  const shown = parseInt(bar.querySelector(".count")?.textContent, 10) || 0;
  const mark = () => {
    let count = bar.querySelector(".count");
    if (!count) {
      count = document.createElement("span");
      count.className = "count";
      bar.append(count);
    }
    const unread = shown + known.notifications.size;
    count.textContent = unread < 100 ? unread : "99+";
  };

  const add =
    (of) =>
    ({ data }) => {
      if (known[of].has(data)) return;
      known[of].add(data);
      if (of === kind) announce();
      if (of === "notifications") mark();
    };
  const source = new EventSource(`/live?${kind}=${list.dataset.newest}`);
  source.addEventListener("post", add("home"));
  source.addEventListener("notification", add("notifications"));
}

/** Characters as the server counts them: addresses count 23, and mentions without their server. */
function countCharacters(text) {
  const counted = text
    .replace(/\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?'()\]]/gi, "x".repeat(23))
    .replace(/(^|[^\w/])@(\w+)@[\w.-]+\w/g, "$1@$2");
  return [...new Intl.Segmenter(language).segment(counted)].length;
}

function composing(form) {
  const { text, spoiler_text: warning } = form.elements;
  const count = one("#count");
  const files = one("#files");
  let isSending = false;

  const recount = () => {
    const characters = countCharacters(text.value) + countCharacters(warning.value);
    count.textContent = characters.toLocaleString(language);
    count.classList.toggle("over", characters > Number(count.dataset.most));
  };
  for (const field of [text, warning]) field.addEventListener("input", recount);
  recount();

  // The cursor belongs after the mentions of a reply.
  if (document.activeElement === text) text.setSelectionRange(text.value.length, text.value.length);

  const start = text.value;
  addEventListener("beforeunload", (event) => {
    if (!isSending && (text.value !== start || "typed" in count.dataset)) event.preventDefault();
  });
  form.addEventListener("submit", () => (isSending = true));

  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(one('[value="publish"]'));
  });

  const upload = () => form.requestSubmit(one("#upload"));
  files?.addEventListener("change", () => files.files.length > 0 && upload());
  text.addEventListener("paste", ({ clipboardData }) => {
    if (!files || clipboardData.files.length === 0) return;
    files.files = clipboardData.files;
    upload();
  });
}

/** For users without a time zone. The times keep their width, so that nothing beside them moves. */
function showLocalTimes(times) {
  const widths = times.map((time) => time.getBoundingClientRect().width);
  for (const [at, time] of times.entries()) {
    const format = new Intl.DateTimeFormat(time.dataset.local, { dateStyle: "medium", timeStyle: "short" });
    time.style.minWidth = `${widths[at]}px`;
    time.textContent = format.format(new Date(time.dateTime));
  }
}

/** The time zone of the browser becomes that of a user who has none: on signing in, or as a choice in the settings. */
function offerTimeZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const cookie = one('meta[name="time-zone"]')?.content;
  const secure = location.protocol === "https:" ? "; secure" : "";
  if (cookie) document.cookie = `${cookie}=${timeZone}; path=/; samesite=lax; max-age=3600${secure}`;
  const choices = one("#time_zone[data-unset]");
  if (!choices) return;
  if (![...choices.options].some(({ value }) => value === timeZone)) choices.add(new Option(timeZone));
  choices.value = timeZone;
}

/** Menus close when something else is clicked, and with Escape. */
function closeMenus(event) {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (event.key === "Escape") {
      menu.open = false;
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    } else if (event.type === "click" && !menu.contains(event.target)) menu.open = false;
  }
}

const list = one("[data-live]");
if (list) liveUpdates(list);
const form = one("#compose");
if (form) composing(form);
showLocalTimes([...document.querySelectorAll("time[data-local]")]);
offerTimeZone();
addEventListener("click", closeMenus);
addEventListener("keydown", closeMenus);
