/**
 * The domain that somebody typed, as it stands in handles: in lower case and ASCII, with its port if it has one. Null
 * for what is no domain, an address with a path included.
 */
export function parseDomain(text: string): string | null {
  const typed = text.trim().replace(/\.$/, "");
  if (!/^[^\s/?#@\\[\]%]{1,253}$/.test(typed) || !URL.canParse(`https://${typed}`)) return null;
  const { host, hostname } = new URL(`https://${typed}`);
  const labels = hostname.split(".");
  return labels.every((label) => label !== "" && label.length <= 63) ? host : null;
}
