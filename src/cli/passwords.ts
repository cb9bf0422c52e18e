/** 32 letters and numbers, none of which looks like another one; so five bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** A password that is good for ever and can be copied by hand: 100 bits in five groups. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]!).join("");
  return letters.match(/.{4}/g)!.join("-");
}
