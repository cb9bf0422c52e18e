import { idOf, idsOf, isJson, objectsOf, stringOf, type Json } from "./json.ts";

export interface PublicKey {
  id: string;
  /** The URI of the actor. */
  owner: string;
  /** Not yet parsed: it only looks like a key. */
  pem: string;
}

const MAX_PEM_LENGTH = 16_384;
const MAX_KEYS = 16;
const PEM = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[A-Za-z\d+/=\s]+-----END (RSA )?PUBLIC KEY-----\s*$/;

/** The embedded keys of an actor, which owns them unless they name another owner. */
export function keysOf(actor: Json): PublicKey[] {
  return objectsOf(actor.publicKey)
    .slice(0, MAX_KEYS)
    .flatMap((key) => readKey(key, idOf(actor)) ?? []);
}

/**
 * The key with this id in the document fetched from it, which is an actor, a part of one (GoToSocial) or the key itself.
 * The caller checks that the owner names the key.
 */
export function readKeyDocument(json: Json, keyId: string): PublicKey | null {
  const keys = isJson(json.publicKey) || Array.isArray(json.publicKey) ? keysOf(json) : [readKey(json, null)];
  return keys.find((key) => key?.id === keyId) ?? null;
}

/** The ids of an actor's keys, embedded or not: a key belongs to an actor that names it. */
export function keyIdsOf(actor: Json): string[] {
  return idsOf(actor.publicKey, MAX_KEYS);
}

function readKey(json: Json, actor: string | null): PublicKey | null {
  const id = idOf(json);
  const owner = idOf(json.owner ?? json.controller) ?? actor;
  const pem = stringOf(json.publicKeyPem, MAX_PEM_LENGTH);
  return id === null || owner === null || !PEM.test(pem) ? null : { id, owner, pem };
}
