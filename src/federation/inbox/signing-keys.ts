import type { Context } from "../../context.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { SlidingWindow } from "../../lib/rates.ts";
import { type PublicKey, readPublicKey } from "../../lib/signatures.ts";
import { refreshAccount } from "../fetching/actors.ts";
import { hostOf, isSameOrigin, withoutFragment } from "../documents.ts";
import { FetchError, fetchDocument } from "../fetching/fetch.ts";
import type { Sender } from "../activities/handler.ts";
import { readKeyDocument } from "../read/keys.ts";

/** How many keys are fetched at once: each costs requests that anyone can cause. */
const MAX_FETCHES = 20;
/** Fetches for the keys of one host per minute. */
const FETCHES_PER_HOST = 30;
/** How long a key that could not be fetched is not tried again, in ms. */
const FAILURE_LASTS = 10 * 60_000;
/** A key is fetched again after a failed signature at most once within this time, in ms. */
const RECHECK = 5 * 60_000;
const MAX_REMEMBERED = 5000;
/** How long a key is accepted after its owner has replaced it, in ms: what waited then may be signed with it. */
const RETIRED_LASTS = 24 * 3600_000;

/** A verified owner's key. */
export interface SigningKey {
  sender: Sender & { suspended: boolean };
  key: PublicKey;
  /** Whether its owner has replaced it. */
  isRetired: boolean;
}

/** The key can't be fetched now. `retryAfter` is in seconds. */
export class KeyUnavailable extends Error {
  override readonly name = "KeyUnavailable";
  readonly retryAfter = 60;
}

interface KeyRow {
  account_id: number;
  uri: string;
  public_key: string;
  suspended_at: number | null;
  gone_at: number | null;
}

const FIND = `
  SELECT k.account_id, a.uri, k.public_key, a.suspended_at, a.gone_at
  FROM remote_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.key_id = +$keyId`;

const FIND_RETIRED = `
  SELECT k.account_id, a.uri, k.public_key, a.suspended_at, a.gone_at
  FROM retired_remote_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.key_id = +$keyId AND k.retired_at > +$since`;

/** The public keys of other servers' accounts, by key id. An unknown key is fetched with its owner. */
export class Keys {
  private readonly failures = new Map<string, { until: number; isFinal: boolean }>();
  private readonly parsed = new Map<string, PublicKey>();
  private readonly rates = new SlidingWindow(FETCHES_PER_HOST, 60);
  private fetching = 0;

  constructor(private readonly ctx: Context) {}

  /**
   * The key with this id; null if it doesn't exist or its owner doesn't name it.
   *
   * @throws KeyUnavailable if its server doesn't respond, or too many are being fetched
   */
  async find(keyId: string): Promise<SigningKey | null> {
    const known = this.known(keyId) ?? this.retired(keyId);
    if (known) return known;
    await this.ctx.flights.run(`key ${keyId}`, () => this.fetch(keyId, () => this.fetchOwner(keyId)));
    return this.known(keyId);
  }

  /**
   * The key after it was fetched again, since a signature has failed: its owner may have another. Null if unchanged.
   *
   * @throws KeyUnavailable as `find()` does
   */
  async refreshed(keyId: string, before: SigningKey): Promise<SigningKey | null> {
    if (this.hasFailed(keyId)) return null;
    const { changes } = this.ctx.db.transaction((tx) =>
      tx.run(
        `UPDATE remote_accounts SET key_checked_at = $now
         WHERE account_id = +$accountId AND coalesce(key_checked_at, 0) <= +$before`,
        { accountId: before.sender.id, now: this.ctx.clock.now(), before: this.ctx.clock.now() - RECHECK },
      ),
    );
    if (changes === 0) return null;
    await this.fetch(keyId, () => refreshAccount(this.ctx, before.sender.uri));
    const after = this.known(keyId);
    return after && !after.key.equals(before.key) ? after : null;
  }

  /** The key with this id that its owner has replaced within the last day. */
  retired(keyId: string): SigningKey | null {
    const since = this.ctx.clock.now() - RETIRED_LASTS;
    return this.signingKey(this.ctx.db.get<KeyRow>(FIND_RETIRED, { keyId, since }), true);
  }

  private known(keyId: string): SigningKey | null {
    return this.signingKey(this.ctx.db.get<KeyRow>(FIND, { keyId }), false);
  }

  private signingKey(row: KeyRow | null, isRetired: boolean): SigningKey | null {
    const key = row && this.parse(row.public_key);
    if (!row || !key) return null;
    const isGone = row.gone_at !== null;
    const sender = { id: row.account_id, uri: row.uri, host: hostOf(row.uri)! };
    return { sender: { ...sender, suspended: row.suspended_at !== null || isGone }, key, isRetired };
  }

  /** Null if it is no key. Parsed keys are kept, since parsing takes long compared with verifying. */
  private parse(pem: string): PublicKey | null {
    const before = this.parsed.get(pem);
    if (before) return before;
    const key = readPublicKey(pem);
    if (key) {
      forgetOldest(this.parsed);
      this.parsed.set(pem, key);
    }
    return key;
  }

  private async fetchOwner(keyId: string): Promise<void> {
    // The key may be a document of its own, or a part of one that names its owner (GoToSocial).
    const document = await fetchDocument(this.ctx, withoutFragment(keyId));
    const owner = readKeyDocument(document, keyId)?.owner;
    if (owner === undefined || !isSameOrigin(owner, keyId)) {
      throw new FetchError("refused", `${keyId} is no key, or its owner is on another server`);
    }
    await refreshAccount(this.ctx, owner);
    if (!this.known(keyId)) throw new FetchError("refused", `${owner} does not name the key ${keyId}`);
  }

  /** Whether the key was found not to exist a short time ago. @throws KeyUnavailable if it could not be fetched then */
  private hasFailed(keyId: string): boolean {
    const failure = this.failures.get(keyId);
    if (!failure || failure.until <= this.ctx.clock.now()) return false;
    if (!failure.isFinal) throw new KeyUnavailable(`${keyId} could not be fetched`);
    return true;
  }

  private async fetch(keyId: string, work: () => Promise<unknown>): Promise<void> {
    const { ctx } = this;
    const host = hostOf(keyId);
    if (host === null || isRefusedHost(ctx, host)) return;
    if (this.hasFailed(keyId)) return;
    const now = ctx.clock.now();
    if (this.fetching >= MAX_FETCHES || this.rates.take(host, now).exceeded) {
      throw new KeyUnavailable("Too many keys are being fetched");
    }
    this.fetching += 1;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const isFinal = error.problem !== "unavailable";
      forgetOldest(this.failures);
      this.failures.set(keyId, { until: now + FAILURE_LASTS, isFinal });
      if (!isFinal) throw new KeyUnavailable(error.message);
    } finally {
      this.fetching -= 1;
    }
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size >= MAX_REMEMBERED) map.delete(map.keys().next().value!);
}
