import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

/** Reads `10.0.0.0/8, ::1`; null when a part is neither an address nor a network. */
export function parseNetworks(list: string): Network[] | null {
  const networks: Network[] = [];
  for (const part of list.split(",").map((text) => text.trim())) {
    if (ipaddr.isValidCIDR(part)) networks.push(ipaddr.parseCIDR(part));
    else if (ipaddr.isValid(part)) {
      const address = ipaddr.process(part);
      networks.push([address, address.kind() === "ipv4" ? 32 : 128]);
    } else return null;
  }
  return networks;
}

/**
 * The address of the client. X-Forwarded-For is read from the right, and only as far as the proxies are trusted:
 * entries to the left of the first untrusted address can be forged.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly Network[]): string {
  let client = peer;
  const hops = forwardedFor ? forwardedFor.slice(0, 1000).split(",") : [];
  while (hops.length > 0 && isWithin(client, trusted)) {
    const hop = hops.pop()!.trim();
    if (!ipaddr.isValid(hop)) break;
    client = hop;
  }
  return client;
}

/** The key for rate limits by address: for IPv6 the whole /64, since one household can use all of its addresses. */
export function addressKey(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(":");
}

/**
 * The site of a web address, so that one owner's hosts share a turn: the last two labels of the name, as a wildcard domain
 * has any number of hosts; otherwise the IP address, or the /64 of IPv6. Without a list of public suffixes all names below
 * `co.uk` are one site. That only makes them wait for one another.
 */
export function siteOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, "");
  return ipaddr.isValid(host) ? addressKey(host) : host.split(".").slice(-2).join(".");
}

function isWithin(address: string, networks: readonly Network[]): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** Whether a host name can only mean this computer. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.[\d.]+|\[::1\])$/.test(hostname);
}
