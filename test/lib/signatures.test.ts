import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  generateKeyPair,
  parseSignature,
  readPublicKey,
  Signer,
  type SignatureForm,
} from "../../src/lib/signatures.ts";
import {
  BODY,
  cavageByHand,
  CREATED,
  DEFAULTS,
  digestOf,
  INBOX,
  KEY_ID,
  NOW,
  own,
  POST,
  publicKey,
  received,
  rfc9421ByHand,
  TYPE,
  verdict,
  type ByHand,
  type HeaderValues,
} from "../support/signatures.ts";

const HOUR = 3600 * 1000;
const FORMS: SignatureForm[] = ["cavage", "rfc9421"];

const foreign = await generateKeyPair();
const signer = new Signer();
const signingKey = { keyId: KEY_ID, privateKey: own.privateKey };

async function signedPost(form: SignatureForm, now = NOW): Promise<HeaderValues> {
  const request = { method: "POST", url: INBOX, headers: { "content-type": TYPE }, body: BODY } as const;
  return { "content-type": TYPE, ...(await signer.sign(request, signingKey, form, now)) };
}

async function signedGet(form: SignatureForm, url = INBOX): Promise<HeaderValues> {
  return signer.sign({ method: "GET", url }, signingKey, form, NOW);
}

const TIMELESS = "the time of the signature is missing or malformed";

describe.each(FORMS)("A request signed in the form %s", (form) => {
  test("is accepted, with its key id", async () => {
    const headers = await signedPost(form);
    expect(verdict({ headers })).toBe("valid");
    expect(parseSignature(received({ headers }), NOW)).toMatchObject({ form, keyId: KEY_ID });
    expect(verdict({ method: "GET", headers: await signedGet(form), body: "" })).toBe("valid");
    const part = `${INBOX}#part`;
    expect(verdict({ method: "GET", headers: await signedGet(form, part), body: "" })).toBe("valid");
    const paged = `${INBOX}?page=2&min_id=%C3%A4`;
    expect(verdict({ method: "GET", url: paged, headers: await signedGet(form, paged), body: "" })).toBe("valid");
  });

  test("has the headers that Mastodon documents", async () => {
    const [post, get] = [await signedPost(form), await signedGet(form)];
    if (form === "cavage") {
      expect(post["date"]).toBe("Sun, 01 Mar 2026 12:00:00 GMT");
      expect(post["digest"]).toBe(`SHA-256=${digestOf(BODY)}`);
      const start = `keyId="${KEY_ID}",algorithm="rsa-sha256",headers="(request-target) host date`;
      expect(post["signature"]).toStartWith(`${start} digest content-type",signature="`);
      expect(get["signature"]).toStartWith(`${start}",signature="`);
    } else {
      expect(post["content-digest"]).toBe(`sha-256=:${digestOf(BODY)}:`);
      const end = `;created=${NOW / 1000};keyid="${KEY_ID}";alg="rsa-v1_5-sha256"`;
      const start = 'sig1=("@method" "@target-uri"';
      expect(post["signature-input"]).toBe(`${start} "content-digest" "content-type")${end}`);
      expect(get["signature-input"]).toBe(`${start})${end}`);
    }
  });

  test("is accepted up to 12 hours later and an hour earlier, by the receiver's clock", async () => {
    const headers = await signedPost(form);
    const after = (milliseconds: number) => verdict({ headers }, publicKey, NOW + milliseconds);
    expect([after(12 * HOUR), after(-HOUR)]).toEqual(["valid", "valid"]);
    expect(after(12 * HOUR + 1)).toBe("the signature is too old");
    expect(after(-HOUR - 1)).toBe("the signature is from the future");
  });

  test("is rejected after any change", async () => {
    const headers = await signedPost(form);
    const mismatch = "the signature does not match the request";
    expect(verdict({ headers, method: "PUT" })).toBe(mismatch);
    expect(verdict({ headers, url: "https://linnet.example/users/carol/inbox" })).toBe(mismatch);
    expect(verdict({ headers, url: `${INBOX}?a=1` })).toBe(mismatch);
    expect(verdict({ headers, url: "https://other.example/users/alice/inbox" })).toBe(mismatch);
    expect(verdict({ headers: { ...headers, "content-type": "text/html" } })).toBe(mismatch);
    expect(verdict({ headers, body: `${BODY} ` })).toBe("the digest is not that of the body");
    expect(verdict({ headers, body: "" })).toBe("the digest is not that of the body");
    const digests = { digest: `SHA-256=${digestOf("{}")}`, "content-digest": `sha-256=:${digestOf("{}")}:` };
    expect(verdict({ headers: { ...headers, ...digests }, body: "{}" })).toBe(mismatch);
    expect(verdict({ headers }, readPublicKey(foreign.publicKey)!)).toBe(mismatch);
    expect(verdict({ headers: { ...headers, ...(await signedGet(form)) } })).toContain("does not cover");
    expect(verdict({ method: "GET", headers: await signedGet(form) })).toContain("does not cover");
  });

  test("is rejected as another method, even if a GET has a digest and a body", () => {
    const get = { method: "GET", body: BODY };
    const headers =
      form === "cavage"
        ? cavageByHand("(request-target) host date digest", {
            values: { "(request-target)": "get /users/alice/inbox" },
          })
        : rfc9421ByHand("@method @target-uri content-digest", { values: { "@method": "GET" } });
    expect(verdict({ ...get, headers })).toBe("valid");
    expect(verdict({ headers })).toBe("the signature does not match the request");
  });
});

const ed25519 = generateKeyPairSync("ed25519");

describe("Signatures by draft-cavage-12", () => {
  test("of its test values (appendix C.3) are accepted", () => {
    // The key has 1024 bits. The values have another key id, which this form does not sign.
    const key = createPublicKey(`-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDCFENGw33yGihy92pDjZQhl0C3
6rPJj+CvfSC8+q28hxA161QFNUd13wuCTUcq0Qd2qsBe/2hFyc2DCJJg0h1L78+6
Z4UMR7EOcpfdUE9Hf3m/hs+FUR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJw
oYi+1hqp1fIekaxsyQIDAQAB
-----END PUBLIC KEY-----`);
    const sent = {
      url: "https://example.com/foo?param=value&pet=dog",
      body: '{"hello": "world"}',
      headers: {
        date: "Sun, 05 Jan 2014 21:31:40 GMT",
        "content-type": "application/json",
        digest: "SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=",
        "content-length": "18",
        signature: `keyId="${KEY_ID}",algorithm="rsa-sha256",headers="(request-target) host date content-type digest content-length",signature="vSdrb+dS3EceC9bcwHSo4MlyKS59iFIrhgYkz8+oVLEEzmYZZvRs8rgOp+63LEM3v+MFHB32NfpB2bEKBIvB1q52LaEUHFv120V01IL+TAD48XaERZFukWgHoBTLMhYS2Gb51gWxpeIq8knRmPnYePbF5MOkR0Zkly4zKH7s1dE="`,
      },
    };
    const now = Date.parse("2014-01-05T22:00:00Z");
    expect(verdict(sent, key, now)).toBe("valid");
    expect(verdict({ ...sent, url: "https://example.com/foo?param=value&pet=cat" }, key, now)).toContain("match");
  });

  const seconds = NOW / 1000;
  const timed = { ...POST, "(created)": String(seconds), "(expires)": String(seconds + 300) };
  test.each<[string, string, ByHand]>([
    ["Mastodon", "(request-target) host date digest content-type", { params: 'algorithm="rsa-sha256",' }],
    ["Pleroma", "(request-target) content-length date digest host", { params: 'algorithm="rsa-sha256",' }],
    ["GoToSocial", "(request-target) host date digest", { params: 'algorithm="hs2019",' }],
    ["a server that names no algorithm", "(request-target) host date digest", {}],
    ["a server that writes spaces", "(request-target) host date digest", { params: ' algorithm = "rsa-sha256" , ' }],
    [
      "a server that signs the time as a parameter",
      "(request-target) (created) (expires) host digest",
      { values: timed, params: `algorithm="hs2019",created=${seconds},expires="${seconds + 300}",` },
    ],
    [
      "a server with SHA-512",
      "(request-target) host date digest",
      { params: 'algorithm="rsa-sha512",', hash: "sha512" },
    ],
    [
      "a server with several digests",
      "(request-target) host date digest",
      { values: { ...POST, digest: `sha-512=${digestOf(BODY, "sha512")}, unixsum=30637,SHA-256=${digestOf(BODY)}` } },
    ],
  ])("as sent by %s are accepted", (_, names, byHand) => {
    expect(verdict({ headers: cavageByHand(names, byHand) })).toBe("valid");
  });

  test("may name headers in capitals", () => {
    const headers = cavageByHand("(request-target) host date digest");
    const signature = headers["signature"]!.replace("host date digest", "Host Date Digest");
    expect(verdict({ headers: { ...headers, signature } })).toBe("valid");
  });

  test("of a GET may leave out the query, but not of a POST", () => {
    const url = `${INBOX}?page=1`;
    const values = { "(request-target)": "get /users/alice/inbox" };
    const without = cavageByHand("(request-target) host date", { values });
    expect(verdict({ method: "GET", url, headers: without, body: "" })).toBe("valid");
    const other = cavageByHand("(request-target) host date", {
      values: { "(request-target)": "get /users/alice/inbox?page=2" },
    });
    expect(verdict({ method: "GET", url, headers: other, body: "" })).toContain("does not match");
    expect(verdict({ url, headers: cavageByHand("(request-target) host date digest") })).toContain("does not match");
  });

  test.each([
    ["(request-target)", "host date digest"],
    ["host", "(request-target) date digest"],
    ["digest", "(request-target) host date"],
    ["neither date nor (created)", "(request-target) host digest"],
  ])("that lack %s are rejected", (missing, names) => {
    expect(verdict({ headers: cavageByHand(names) })).toContain(missing);
  });

  test("are rejected if a time is missing, wrong or over", () => {
    const names = "(request-target) (created) host digest";
    const at = (created: unknown, params = `created=${String(created)},`) =>
      verdict({ headers: cavageByHand(names, { values: { ...POST, "(created)": String(created) }, params }) });
    expect(at(seconds)).toBe("valid");
    expect(at(seconds - 12 * 3600 - 1)).toBe("the signature is too old");
    expect(at(seconds + 3601)).toBe("the signature is from the future");
    expect(at(seconds, "")).toBe("the signature covers (created), which is missing");
    expect(verdict({ headers: cavageByHand("(expires) (request-target) host date digest", { values: timed }) })).toBe(
      "the signature covers (expires), which is missing",
    );
    const late = { ...timed, date: new Date(NOW + 2 * HOUR).toUTCString() };
    const both = cavageByHand(`${names} date`, { values: late, params: `created=${seconds},` });
    expect(verdict({ headers: both })).toBe("the signature is from the future");
    expect(at("soon", 'created="soon",')).toBe(TIMELESS);
    expect(at(seconds, `created=${seconds},expires=${seconds - 3600},`)).toBe("valid");
    expect(at(seconds, `created=${seconds},expires=${seconds - 3601},`)).toBe("the signature has expired");
    const date = (value: string) =>
      verdict({ headers: cavageByHand("(request-target) host date digest", { values: { ...POST, date: value } }) });
    expect(date("now")).toBe(TIMELESS);
    expect(date(`${DEFAULTS["date"]}, ${DEFAULTS["date"]}`)).toBe(TIMELESS);
  });

  test("are rejected if they are repeated or malformed", () => {
    const headers = cavageByHand("(request-target) host date digest");
    const signature = headers["signature"]!;
    const change = (text: string) => verdict({ headers: { ...headers, signature: text } });
    const malformed = "the signature is malformed";
    expect(change(`${signature}, ${signature}`)).toBe(malformed);
    expect(change(`${signature},KEYID="${KEY_ID}"`)).toBe(malformed);
    expect(change(`Signature ${signature}`)).toBe(malformed);
    expect(change(signature.slice(0, -1))).toBe(malformed);
    expect(change(signature.replace('signature="', 'signature="ä'))).toBe(malformed);
    expect(change(`${signature},x="${"y".repeat(4096)}"`)).toBe("the signature is too long");
    for (const keyId of ["", "acct:b@a.example", "https://", "https://[/", "https://a:99999/", "https://a b/"]) {
      expect(change(signature.replace(KEY_ID, keyId))).toBe("the key id is not an http address");
    }
    expect(change(`${signature},algorithm="hmac-sha256"`)).toBe('the algorithm "hmac-sha256" is not supported');
    expect(change(signature.replace("host", "host host"))).toBe("the signature covers a component twice");
    expect(change(signature.replace("host", "host host:"))).toBe("the signature covers an unsupported component");
    expect(change(signature.replace("host", "host @method"))).toBe("the signature covers an unsupported component");
    expect(change(signature.replace("host", "host x"))).toBe("the signature covers x, which is missing");
    const many = Array.from({ length: 30 }, (_, index) => `x${index}`).join(" ");
    expect(change(signature.replace("host", `host ${many}`))).toBe("the signature covers too many components");
    expect(verdict({ headers: DEFAULTS })).toBe("the request has no signature");
  });

  test("are rejected if the digest is malformed, repeated or only of another kind", () => {
    const withDigest = (digest: string) =>
      verdict({ headers: cavageByHand("(request-target) host date digest", { values: { ...POST, digest } }) });
    const right = digestOf(BODY);
    expect(withDigest(`SHA-256=${right}`)).toBe("valid");
    expect(withDigest(right.replaceAll("=", ""))).toBe("the header digest is malformed");
    expect(withDigest(`SHA-256=${right}, sha-256=${right}`)).toBe("the header digest is malformed");
    expect(withDigest(`MD5=${digestOf(BODY, "md5")}`)).toBe("the header digest contains neither SHA-256 nor SHA-512");
    expect(withDigest(`SHA-256=${right},SHA-512=${right}`)).toBe("the digest is not that of the body");
    expect(withDigest(`SHA-256=${right.slice(0, 20)}`)).toBe("the digest is not that of the body");
  });
});

describe("Signatures by RFC 9421", () => {
  test.each<[string, string, ByHand, string]>([
    ["Mitra", "@method @target-uri content-digest", { params: `;keyid="${KEY_ID}";created=${NOW / 1000}` }, "sig1"],
    [
      "WordPress",
      "@method @target-uri @authority content-digest",
      { params: `${CREATED};alg="rsa-v1_5-sha256"` },
      "wp",
    ],
    ["Fedify", "@method @target-uri @authority host date content-digest", {}, "sig1"],
    [
      "NodeBB",
      "@method @authority @target-uri content-digest content-type date",
      { params: `;keyid="${KEY_ID}";alg="rsa-v1_5-sha256";tag="activitypub";nonce="a+b/c=";created=${NOW / 1000}` },
      "activitypub",
    ],
    [
      "a server with SHA-512",
      "@method @target-uri content-digest",
      { values: { "content-digest": `md5=:AA==:, sha-512=:${digestOf(BODY, "sha512")}:` } },
      "x",
    ],
  ])("as sent by %s are accepted", (_, names, byHand, label) => {
    expect(verdict({ headers: rfc9421ByHand(names, byHand, label) })).toBe("valid");
  });

  test("cover the port of the public URL", () => {
    const url = "http://localhost:3000/inbox";
    const values = { "@target-uri": url, "@authority": "localhost:3000", host: "localhost:3000" };
    const headers = rfc9421ByHand("@method @target-uri @authority host content-digest", { values });
    expect(verdict({ url, headers })).toBe("valid");
    // A proxy that passes the host on without its port, as nginx does with $host.
    expect(verdict({ url, headers: { ...headers, host: "localhost" } })).toBe("valid");
    expect(verdict({ url: "http://localhost:3001/inbox", headers })).toContain("does not match");
  });

  test.each([
    ["@method", ""],
    ["@method", "@target-uri content-digest"],
    ["@target-uri", "@method @authority @path content-digest"],
    ["content-digest", "@method @target-uri digest"],
  ])("that lack %s are rejected: (%s)", (missing, names) => {
    expect(verdict({ headers: rfc9421ByHand(names) })).toBe(`the signature does not cover ${missing}`);
  });

  const NAMES = "@method @target-uri content-digest";

  test("cover the query", async () => {
    const sent = { method: "GET", url: `${INBOX}?page=1`, body: "" };
    expect(verdict({ ...sent, headers: await signedGet("rfc9421") })).toContain("does not match");
  });

  test("are rejected if a time is missing, wrong or over", () => {
    const at = (params: string) =>
      verdict({ headers: rfc9421ByHand(NAMES, { params: `${params};keyid="${KEY_ID}"` }) });
    const seconds = NOW / 1000;
    expect(at("")).toBe(TIMELESS);
    expect(at(";created=soon")).toBe(TIMELESS);
    expect(at(";created")).toBe("the signature is too old");
    expect(at(`;created=${seconds - 12 * 3600 - 1}`)).toBe("the signature is too old");
    expect(at(`;created=${seconds + 3601}`)).toBe("the signature is from the future");
    expect(at(`;created=${seconds};expires=${seconds - 3600}`)).toBe("valid");
    expect(at(`;created=${seconds};expires=${seconds - 3601}`)).toBe("the signature has expired");
    expect(at(`;created=${seconds};expires=never`)).toBe("the signature has expired");
    const date = "Sat, 28 Feb 2026 12:00:00 GMT";
    expect(verdict({ headers: rfc9421ByHand(`${NAMES} date`, { values: { date } }) })).toBe("the signature is too old");
  });

  test("count only if they are the first of a supported kind", () => {
    const joined = (...all: HeaderValues[]) => ({
      ...all[0],
      "signature-input": all.map((each) => each["signature-input"]).join(", "),
      signature: all.map((each) => each["signature"]).join(", "),
    });
    const valid = rfc9421ByHand(NAMES, {}, "valid");
    const invalid = rfc9421ByHand(NAMES, { key: foreign.privateKey }, "invalid");
    const unknown = rfc9421ByHand(NAMES, { params: `${CREATED};alg="rsa-pss-sha512"` }, "unknown");
    expect(verdict({ headers: joined(unknown, valid) })).toBe("valid");
    expect(verdict({ headers: joined(valid, invalid) })).toBe("valid");
    expect(verdict({ headers: joined(invalid, valid) })).toBe("the signature does not match the request");
    expect(verdict({ headers: unknown })).toBe('the algorithm "rsa-pss-sha512" is not supported');
    expect(verdict({ headers: joined(valid, valid) })).toBe("the signature is malformed");
  });

  test("are rejected if they are repeated or malformed", () => {
    const headers = rfc9421ByHand(NAMES);
    const [input, signature] = [headers["signature-input"]!, headers["signature"]!];
    const change = (changed: HeaderValues) => verdict({ headers: { ...headers, ...changed } });
    const malformed = "the signature is malformed";
    expect(change({ "signature-input": input.replace(";created", "; created") })).toBe(malformed);
    expect(change({ "signature-input": `${input};created=1` })).toBe(malformed);
    expect(change({ "signature-input": input.replace("sig1", "sig2") })).toBe(malformed);
    expect(change({ "signature-input": `${input}, ${input}` })).toBe(malformed);
    expect(change({ "signature-input": "sig1" })).toBe(malformed);
    expect(change({ "signature-input": "" })).toBe(malformed);
    expect(change({ "signature-input": `${input}x`.repeat(40) })).toBe("the signature is too long");
    expect(change({ signature: `${signature}, ${signature}` })).toBe(malformed);
    expect(change({ signature: signature.replaceAll(":", '"') })).toBe(malformed);
    expect(change({ signature: "sig1" })).toBe(malformed);
    const param = '"@method";req';
    expect(change({ "signature-input": input.replace('"@method"', param) })).toContain("unsupported component");
    expect(change({ "signature-input": input.replace('"@method"', "method") })).toContain("unsupported component");
    expect(change({ "signature-input": input.replace("@method", "@status") })).toContain("unsupported component");
    expect(change({ "signature-input": input.replace("@method", "Host") })).toContain("unsupported component");
    expect(verdict({ headers: rfc9421ByHand(NAMES, { params: `;created=${NOW / 1000};keyid=bob` }) })).toContain(
      "key id",
    );
  });

  test("are rejected if the digest is malformed or repeated", () => {
    const withDigest = (digest: string) =>
      verdict({ headers: rfc9421ByHand(NAMES, { values: { "content-digest": digest } }) });
    const right = digestOf(BODY);
    expect(withDigest(`sha-256=${right}`)).toBe("the header content-digest is malformed");
    expect(withDigest(`sha-256=:${right}:, sha-256=:${right}:`)).toBe("the header content-digest is malformed");
    expect(withDigest("md5=:AA==:")).toBe("the header content-digest contains neither SHA-256 nor SHA-512");
    expect(withDigest(`sha-256=:${digestOf("{}")}:`)).toBe("the digest is not that of the body");
  });
});

describe("A key", () => {
  test("of type Ed25519 verifies both forms, but no signature for RSA", () => {
    const pem = ed25519.publicKey.export({ type: "spki", format: "pem" }).toString();
    const key = readPublicKey(pem)!;
    const edKey = { key: ed25519.privateKey, hash: null };
    const cavage = "(request-target) host date digest";
    const rfc9421 = "@method @target-uri content-digest";
    expect(verdict({ headers: cavageByHand(cavage, { ...edKey, params: 'algorithm="hs2019",' }) }, key)).toBe("valid");
    expect(verdict({ headers: rfc9421ByHand(rfc9421, edKey) }, key)).toBe("valid");
    const rsa = cavageByHand(cavage, { params: 'algorithm="rsa-sha256",' });
    expect(verdict({ headers: rsa }, key)).toBe('the key is not for the algorithm "rsa-sha256"');
    const named = rfc9421ByHand(rfc9421, { ...edKey, params: `${CREATED};alg="ed25519"` });
    expect(verdict({ headers: named }, key)).toBe("valid");
    expect(verdict({ headers: named })).toBe('the key is not for the algorithm "ed25519"');
  });

  test("has 2048 bits if it is new", () => {
    expect(own.publicKey).toStartWith("-----BEGIN PUBLIC KEY-----\n");
    expect(own.privateKey).toStartWith("-----BEGIN PRIVATE KEY-----\n");
    expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(foreign.publicKey).not.toBe(own.publicKey);
  });

  test("is read from SPKI and PKCS #1, with any line breaks", () => {
    const pkcs1 = publicKey.export({ type: "pkcs1", format: "pem" }).toString();
    for (const pem of [own.publicKey, pkcs1, own.publicKey.replaceAll("\n", "\r\n"), `\n${own.publicKey.trim()}`]) {
      expect(readPublicKey(pem)?.equals(publicKey)).toBeTrue();
    }
  });

  test("is rejected if it is weak, huge, private, of another kind or malformed", () => {
    const rsa = (bits: number, publicExponent = 65537) =>
      generateKeyPairSync("rsa", { modulusLength: bits, publicExponent }).publicKey;
    const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
    expect(readPublicKey(pemOf(rsa(2047)))).toBeNull();
    expect(readPublicKey(pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey))).toBeNull();
    expect(readPublicKey(pemOf(generateKeyPairSync("x25519").publicKey))).toBeNull();
    expect(readPublicKey(own.privateKey)).toBeNull();
    expect(readPublicKey(own.publicKey.slice(0, 200))).toBeNull();
    expect(readPublicKey("")).toBeNull();
    expect(readPublicKey(own.publicKey + "\n".repeat(5000))).toBeNull();
    const jwk = (n: Uint8Array, e: number[]) => ({
      key: { kty: "RSA", n: Buffer.from(n).toString("base64url"), e: Buffer.from(e).toString("base64url") },
      format: "jwk" as const,
    });
    const huge = new Uint8Array(1032).fill(255);
    expect(readPublicKey(pemOf(createPublicKey(jwk(huge.subarray(0, 1024), [3]))))).not.toBeNull();
    expect(readPublicKey(pemOf(createPublicKey(jwk(huge, [3]))))).toBeNull();
    expect(readPublicKey(withExponent(own.publicKey, 1))).toBeNull();
    expect(readPublicKey(withExponent(own.publicKey, 0x10000))).toBeNull();
  });

  test("signs after others have replaced it in the signer", async () => {
    const small = new Signer(1);
    const request = { method: "GET", url: INBOX } as const;
    const sign1 = (privateKey: string) => small.sign(request, { keyId: KEY_ID, privateKey }, "cavage", NOW);
    for (const { privateKey, publicKey: pem } of [own, foreign, own]) {
      const headers = await sign1(privateKey);
      expect(verdict({ method: "GET", headers, body: "" }, readPublicKey(pem)!)).toBe("valid");
    }
    await expect(sign1("no key")).rejects.toThrow();
  });
});

/** The key with another public exponent of at most three bytes: the last bytes of its DER. */
function withExponent(pem: string, exponent: number): string {
  const der = createPublicKey(pem).export({ type: "spki", format: "der" });
  der.writeUIntBE(exponent, der.length - 3, 3);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
}

/** Fragments of signatures, so that random headers come close to real ones. */
const FRAGMENTS = [
  ...`keyId signature headers algorithm created expires sig1 keyid alg hs2019 1772366400 ${KEY_ID}`.split(" "),
  ...`=" ", =( ); =: : " , ; = ( ) ?1 @1 %" -1.5 "@method" "@target-uri" (request-target) host date`.split(" "),
  " ",
];
const randomHeader = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 5 })), { maxLength: 30 })
  .map((parts) => parts.join(""));

test("Random headers are never accepted, and never make the parser throw", () => {
  const others = fc.record({ "signature-input": randomHeader, digest: randomHeader }, { requiredKeys: [] });
  fc.assert(
    fc.property(randomHeader, others, (signature, headers) => {
      expect(verdict({ headers: { ...DEFAULTS, ...headers, signature } })).not.toBe("valid");
    }),
    { numRuns: 1000 },
  );
});

test.each(FORMS)("A signature in the form %s that is changed stays valid only if it says the same", async (form) => {
  const valid = await signedPost(form);
  const unsigned = form === "cavage" ? { keyId: "", algorithm: "" } : {};
  const signedParts = (headers: HeaderValues) => ({ ...parseSignature(received({ headers }), NOW), ...unsigned });
  const inserted = fc.string({ maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(valid)), fc.nat(), fc.nat(3), inserted, (name, place, removed, text) => {
      const value = valid[name]!;
      const at = place % value.length;
      const changed = value.slice(0, at) + text + value.slice(at + removed);
      const headers = { ...valid, [name]: changed };
      if (verdict({ headers }) !== "valid") return;
      // Spaces around a header are not signed, and in draft-cavage, neither are the names of parameters.
      if (!name.startsWith("signature")) expect(changed.trim()).toBe(value);
      else expect(signedParts(headers)).toEqual(signedParts(valid));
    }),
    { numRuns: 1000 },
  );
});

test.each(FORMS)("A signature in the form %s is valid only for its method, URL and body", async (form) => {
  const headers = await signedPost(form);
  const change = fc.oneof(
    fc.string().map((path) => ({ url: `${INBOX}/${encodeURIComponent(path)}` })),
    fc.string().map((query) => ({ url: `${INBOX}?a${query}` })),
    fc
      .constantFrom("example", "sub.linnet.example", "linnet.example:8443")
      .map((host) => ({ url: INBOX.replace("linnet.example", host) })),
    fc.string().map((body) => ({ body })),
    fc.constantFrom("GET", "HEAD", "PUT", "PATCH", "DELETE").map((method) => ({ method })),
  );
  fc.assert(fc.property(change, (sent) => verdict({ headers, ...sent }) !== "valid"));
});
