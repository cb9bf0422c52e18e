import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** Faults of a browser and an authenticator in a test. */
interface Deviation {
  origin?: string;
  rpId?: string;
  /** Whether the authenticator has checked a PIN, a fingerprint or the like. */
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

/** A browser's side of WebAuthn, with an authenticator that has one passkey: an ES256 key that it creates at first use. */
export class Authenticator {
  private readonly id = randomBytes(16);
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
  });
  private counter = 0;
  private userHandle = "";

  constructor(private readonly origin: string) {}

  /** The answer to a page that asks for a new passkey. */
  create(options: Options, wrong: Deviation = {}): string {
    this.userHandle = options.user!.id;
    const key = this.keys.publicKey.export({ format: "jwk" });
    // COSE: a map with the type EC2, ES256, P-256 and the point.
    const cose = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(key.x!, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(key.y!, "base64url"),
    ]);
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const data = this.dataOf(wrong.rpId ?? options.rp!.id, ATTESTED, wrong, attested);
    // CBOR: a map with the format "none", an empty statement and the data.
    const attestationObject = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return this.answer({
      clientDataJSON: this.clientData("webauthn.create", options, wrong).toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** The answer to a page that asks for a passkey. */
  get(options: Options, wrong: Deviation = {}): string {
    this.counter += 1;
    const data = this.dataOf(wrong.rpId ?? options.rpId!, 0, wrong);
    const client = this.clientData("webauthn.get", options, wrong);
    const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    return this.answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.keys.privateKey).toString("base64url"),
      userHandle: wrong.userHandle ?? this.userHandle,
    });
  }

  private dataOf(rpId: string, flags: number, wrong: Deviation, attested = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5);
    head[0] = flags | PRESENT! | (wrong.isVerified === false ? 0 : VERIFIED!);
    head.writeUInt32BE(wrong.counter ?? this.counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), head, attested]);
  }

  private clientData(type: string, { challenge }: Options, wrong: Deviation): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: wrong.origin ?? this.origin, crossOrigin: false }));
  }

  private answer(response: object): string {
    const id = this.id.toString("base64url");
    return JSON.stringify({ id, rawId: id, type: "public-key", response, clientExtensionResults: {} });
  }
}
