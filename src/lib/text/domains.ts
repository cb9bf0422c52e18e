/**
 * Normalises a domain that a user typed to its form in handles: in lower case and ASCII, with its port if it has one.
 * Null if it is not a domain, for example an address with a path.
 */
export function parseDomain(text: string): string | null {
  const typed = text.trim().replace(/\.$/, "");
  if (!/^[^\s/?#@\\[\]%]{1,253}$/.test(typed) || !URL.canParse(`https://${typed}`)) return null;
  const { host, hostname } = new URL(`https://${typed}`);
  const labels = hostname.split(".");
  return labels.every((label) => label !== "" && label.length <= 63) ? host : null;
}
