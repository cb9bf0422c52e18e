import { expect, test } from "bun:test";
import { siteOf } from "../../src/lib/http/ip-addresses.ts";

test.each([
  ["https://a1.evil.example/page", "evil.example"],
  ["https://EVIL.example:8443/", "evil.example"],
  ["https://a.b.evil.example./", "evil.example"],
  ["http://localhost:3000/", "localhost"],
  ["http://192.0.2.7:8080/", "192.0.2.7"],
])("%s belongs to the site %s", (url, site) => {
  expect(siteOf(url)).toBe(site);
});

test("all IPv6 addresses of a /64 belong to one site", () => {
  const site = siteOf("http://[2001:db8:1:2::1]/");
  expect(siteOf("http://[2001:db8:1:2:ffff::9]:8080/")).toBe(site);
  expect(siteOf("http://[2001:db8:1:3::1]/")).not.toBe(site);
});
