/*
 * The names of a program and of its system in a User-Agent header, for people. Headers can claim anything, so only known
 * names are recognised.
 */

/** The more specific come first: Edge and Opera also claim to be Chrome, which claims to be Safari. */
const PROGRAMS: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bDuckDuckGo\//, "DuckDuckGo"],
  [/\bSeaMonkey\//, "SeaMonkey"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bEpiphany\//, "GNOME Web"],
  [/Chrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/\bDillo\//, "Dillo"],
  [/\bLynx\//, "Lynx"],
  [/\bw3m\//, "w3m"],
  [/\bcurl\//, "curl"],
];

/** Android before Linux, and iPhones before macOS: their headers name both. */
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b|\bmacOS\b/, "macOS"],
  [/\biOS\b/, "iOS"],
  [/\bFreeBSD\b/, "FreeBSD"],
  [/\bOpenBSD\b/, "OpenBSD"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** The longest header that is stored: those of browsers are shorter. */
const MAX_LENGTH = 300;

/** A User-Agent header, bounded; empty without one. */
export function userAgentOf(request: Request): string {
  return (request.headers.get("user-agent") ?? "").slice(0, MAX_LENGTH);
}

/** The browser's name; of other programs, the first word of the header if that is a name. Null if it is unknown. */
export function programIn(userAgent: string): string | null {
  const known = nameIn(PROGRAMS, userAgent);
  if (known !== null) return known;
  const first = /^([A-Z][\w.+-]{1,29})\//i.exec(userAgent)?.[1];
  return first === undefined || first === "Mozilla" ? null : first;
}

export function systemIn(userAgent: string): string | null {
  return nameIn(SYSTEMS, userAgent);
}

function nameIn(names: [RegExp, string][], userAgent: string): string | null {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}
