import { addressOf, isJson, listOf, numberOf, stringOf, type Json } from "./json.ts";

/** One of the addresses of a `url` or `icon`: a string, a Link with `href`, or an object with `url`. */
export interface Link {
  href: string;
  /** In lower case, without parameters; null if it is not given. */
  mediaType: string | null;
  width: number | null;
  height: number | null;
  /** The object that has the address; null for a string. */
  source: Json | null;
}

const MAX_LINKS = 32;

/** The usable addresses of a property. */
export function linksOf(value: unknown): Link[] {
  return listOf(value)
    .slice(0, MAX_LINKS)
    .flatMap((each) => (isJson(each) ? linksOfObject(each) : linkTo(each, null)));
}

function linksOfObject(json: Json): Link[] {
  return listOf(json.href ?? json.url)
    .slice(0, MAX_LINKS)
    .flatMap((each) => (isJson(each) ? linkTo(each.href, json, each) : linkTo(each, json)));
}

/** `link` is the Link of a `source` that has no address of its own. What it says about the file wins. */
function linkTo(address: unknown, source: Json | null, link: Json | null = null): Link[] {
  const href = addressOf(address);
  if (href === null) return [];
  return [
    {
      href,
      mediaType: mediaTypeOf(link?.mediaType) ?? mediaTypeOf(source?.mediaType),
      width: sideOf(link?.width) ?? sideOf(source?.width),
      height: sideOf(link?.height) ?? sideOf(source?.height),
      source,
    },
  ];
}

function mediaTypeOf(value: unknown): string | null {
  // Most links have no type.
  if (value === undefined) return null;
  const [type = ""] = stringOf(value, 255).toLowerCase().split(";", 1);
  return /^[a-z]+\/[a-z\d.+-]{1,100}$/.test(type.trim()) ? type.trim() : null;
}

/** Larger pictures are refused anyway. */
const MAX_SIDE = 100_000;

function sideOf(value: unknown): number | null {
  const side = Math.round(numberOf(value) ?? 0);
  return side > 0 && side <= MAX_SIDE ? side : null;
}

/** The address of a document's page: HTML if possible, else one without a type, else any. */
export function pageUrlOf(value: unknown): string | null {
  const links = linksOf(value);
  const page =
    links.find(({ mediaType }) => mediaType === "text/html") ??
    links.find(({ mediaType }) => mediaType === null) ??
    links[0];
  return page?.href ?? null;
}

/** The largest of several pictures, else the first. */
export function pictureOf(value: unknown): Link | null {
  // A wrong type does no harm: a picture's type is detected from its bytes.
  const pictures = linksOf(value).filter(({ mediaType }) => !/^(?:text|video|audio)\//.test(mediaType ?? ""));
  return pictures.toSorted((a, b) => area(b) - area(a))[0] ?? null;
}

function area({ width, height }: Link): number {
  return (width ?? 0) * (height ?? 0);
}
