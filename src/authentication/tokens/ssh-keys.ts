import { createHash, ECDH } from 'node:crypto';

/**
 * Public keys of SSH as OpenSSH writes them: `<algorithm> <base64> <comment>`, whose bytes are fields that each have their
 * length before them (RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4, OpenSSH's PROTOCOL.u2f).
 */

/** What the settings `<type>_key_restriction` are about. */
export const KEY_TYPES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const;

export type SshKeyType = (typeof KEY_TYPES)[number];

export interface SshKey {
  readonly type: SshKeyType;
  readonly bits: number;
  /** SHA-256 of the key's bytes as `ssh-keygen -l` shows it, without `SHA256:`: the comment is no part of it. */
  readonly fingerprint: string;
  /** Does anything stand before the algorithm's name: options, as in `authorized_keys`? */
  readonly hasOptions: boolean;
}

/** The only key of a text; null when there is none that decodes completely, or more than one line. */
export function readSshKey(text: string): SshKey | null {
  const line = text.trimEnd();
  if (/[\r\n]/.test(line)) return null;
  const words = line.split(/[ \t]+/);
  const place = words.findIndex((word) => Object.hasOwn(FORMS, word));
  const algorithm = words[place];
  const bytes = bytesOf(words[place + 1] ?? '');
  if (algorithm === undefined || bytes === null) return null;
  const [name, ...fields] = fieldsOf(bytes) ?? [];
  const { type, read } = FORMS[algorithm]!;
  if (name?.toString('latin1') !== algorithm) return null;
  const bits = read(fields);
  if (bits === null) return null;
  const fingerprint = createHash('sha256').update(bytes).digest('base64').replaceAll('=', '');
  return { type, bits, fingerprint, hasOptions: place > 0 };
}

/** The bytes of base64 that is written in the only way there is; null of anything else. */
function bytesOf(base64: string): Buffer | null {
  const bytes = Buffer.from(base64, 'base64');
  return base64 !== '' && bytes.toString('base64') === base64 ? bytes : null;
}

/** Fields with their lengths before them; null unless they are all that the bytes hold. */
function fieldsOf(bytes: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at + 4;
    if (start > bytes.length) return null;
    at = start + bytes.readUInt32BE(start - 4);
    if (at > bytes.length) return null;
    fields.push(bytes.subarray(start, at));
  }
  return fields;
}

interface Form {
  readonly type: SshKeyType;
  /** The size of the key that the fields behind the algorithm's name are; null when they are none. */
  readonly read: (fields: readonly Buffer[]) => number | null;
}

const FORMS: Readonly<Record<string, Form>> = {
  'ssh-rsa': { type: 'rsa', read: (fields) => sizeOf(fields, { numbers: 2, sized: 1 }) },
  'ssh-dss': { type: 'dsa', read: (fields) => sizeOf(fields, { numbers: 4, sized: 0 }) },
  'ecdsa-sha2-nistp256': { type: 'ecdsa', read: (fields) => onCurve(fields, P256) },
  'ecdsa-sha2-nistp384': { type: 'ecdsa', read: (fields) => onCurve(fields, P384) },
  'ecdsa-sha2-nistp521': { type: 'ecdsa', read: (fields) => onCurve(fields, P521) },
  'ssh-ed25519': { type: 'ed25519', read: edwards },
  'sk-ecdsa-sha2-nistp256@openssh.com': { type: 'ecdsa_sk', read: ofToken((fields) => onCurve(fields, P256)) },
  'sk-ssh-ed25519@openssh.com': { type: 'ed25519_sk', read: ofToken(edwards) },
};

const P256 = { name: 'nistp256', curve: 'prime256v1', bits: 256 };
const P384 = { name: 'nistp384', curve: 'secp384r1', bits: 384 };
const P521 = { name: 'nistp521', curve: 'secp521r1', bits: 521 };

/** Nothing but so many numbers above 0, of which one says how large the key is. */
function sizeOf(fields: readonly Buffer[], { numbers, sized }: { numbers: number; sized: number }): number | null {
  const lengths = fields.map(bitLength);
  return lengths.length === numbers && lengths.every((bits) => bits > 0) ? lengths[sized]! : null;
}

/** Of a number that is written in the only way there is; 0 of anything else, and of what is not above 0. */
function bitLength(number: Buffer): number {
  const [first = 0, second = 0] = number;
  // The first bit is the sign: a number that would begin with 1 has a byte of zeros before it, no other has.
  if (first >= 0x80 || (first === 0 && second < 0x80)) return 0;
  return first === 0 ? (number.length - 1) * 8 : (number.length - 1) * 8 + 32 - Math.clz32(first);
}

/** The curve's name, and a point of it that is not compressed. */
function onCurve(fields: readonly Buffer[], { name, curve, bits }: typeof P256): number | null {
  const [named, point] = fields;
  if (fields.length !== 2 || named?.toString('latin1') !== name || point?.[0] !== 4) return null;
  try {
    ECDH.convertKey(point, curve);
    return bits;
  } catch {
    return null;
  }
}

function edwards(fields: readonly Buffer[]): number | null {
  return fields.length === 1 && fields[0]!.length === 32 ? 256 : null;
}

/** Of keys that live in a security token: what they are for stands behind, usually `ssh:`. */
function ofToken(read: Form['read']): Form['read'] {
  return (fields) => (fields.at(-1)?.length ? read(fields.slice(0, -1)) : null);
}
