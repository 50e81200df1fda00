import { createHash, ECDH } from 'node:crypto';

/**
 * Public SSH keys in the format of OpenSSH: `<algorithm> <base64> <comment>`. The bytes are fields prefixed with their
 * lengths (RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4, OpenSSH's PROTOCOL.u2f).
 */

/** Key types of the settings `<type>_key_restriction`. */
export const SSH_KEY_TYPES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const;

type SshKeyType = (typeof SSH_KEY_TYPES)[number];

export interface SshKey {
  readonly type: SshKeyType;
  readonly bits: number;
  /** SHA-256 of the key's bytes as `ssh-keygen -l` prints it, without `SHA256:`. The comment is not included. */
  readonly fingerprint: string;
  /** Whether options precede the algorithm's name, as in `authorized_keys`. */
  readonly hasOptions: boolean;
}

/** Parses a text with a single key; null if it is invalid or has more than one line. */
export function parseSshKey(text: string): SshKey | null {
  const line = text.trimEnd();
  if (/[\r\n]/.test(line)) return null;
  const words = line.split(/[ \t]+/);
  const index = words.findIndex((word) => Object.hasOwn(KEY_FORMATS, word));
  const algorithm = words[index];
  const bytes = decodeBase64(words[index + 1] ?? '');
  if (algorithm === undefined || bytes === null) return null;
  const [name, ...fields] = decodeFields(bytes) ?? [];
  const { type, readSize } = KEY_FORMATS[algorithm]!;
  if (name?.toString('latin1') !== algorithm) return null;
  const bits = readSize(fields);
  if (bits === null) return null;
  const fingerprint = createHash('sha256').update(bytes).digest('base64').replaceAll('=', '');
  return { type, bits, fingerprint, hasOptions: index > 0 };
}

/** Decodes canonical base64; null for anything else. */
function decodeBase64(base64: string): Buffer | null {
  const bytes = Buffer.from(base64, 'base64');
  return base64 !== '' && bytes.toString('base64') === base64 ? bytes : null;
}

/** Splits length-prefixed fields; null unless they use all bytes. */
function decodeFields(bytes: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const start = offset + 4;
    if (start > bytes.length) return null;
    offset = start + bytes.readUInt32BE(start - 4);
    if (offset > bytes.length) return null;
    fields.push(bytes.subarray(start, offset));
  }
  return fields;
}

interface KeyFormat {
  readonly type: SshKeyType;
  /** Returns the key size from the fields after the algorithm's name; null if they are invalid. */
  readonly readSize: (fields: readonly Buffer[]) => number | null;
}

const KEY_FORMATS: Readonly<Record<string, KeyFormat>> = {
  'ssh-rsa': { type: 'rsa', readSize: (fields) => getKeySize(fields, { count: 2, sizedIndex: 1 }) },
  'ssh-dss': { type: 'dsa', readSize: (fields) => getKeySize(fields, { count: 4, sizedIndex: 0 }) },
  'ecdsa-sha2-nistp256': { type: 'ecdsa', readSize: (fields) => getEcdsaKeySize(fields, P256) },
  'ecdsa-sha2-nistp384': { type: 'ecdsa', readSize: (fields) => getEcdsaKeySize(fields, P384) },
  'ecdsa-sha2-nistp521': { type: 'ecdsa', readSize: (fields) => getEcdsaKeySize(fields, P521) },
  'ssh-ed25519': { type: 'ed25519', readSize: getEd25519KeySize },
  'sk-ecdsa-sha2-nistp256@openssh.com': {
    type: 'ecdsa_sk',
    readSize: withoutApplication((fields) => getEcdsaKeySize(fields, P256)),
  },
  'sk-ssh-ed25519@openssh.com': { type: 'ed25519_sk', readSize: withoutApplication(getEd25519KeySize) },
};

const P256 = { name: 'nistp256', curve: 'prime256v1', bits: 256 };
const P384 = { name: 'nistp384', curve: 'secp384r1', bits: 384 };
const P521 = { name: 'nistp521', curve: 'secp521r1', bits: 521 };

/** Returns the bit length of the number at `sizedIndex` if the fields are exactly `count` positive numbers, else null. */
function getKeySize(
  fields: readonly Buffer[],
  { count, sizedIndex }: { count: number; sizedIndex: number },
): number | null {
  const lengths = fields.map(getBitLength);
  return lengths.length === count && lengths.every((bits) => bits > 0) ? lengths[sizedIndex]! : null;
}

/** Returns the bit length of a canonical positive number; 0 otherwise. */
function getBitLength(number: Buffer): number {
  const [first = 0, second = 0] = number;
  // The first bit is the sign: only a number whose first bit would be 1 has a leading zero byte.
  if (first >= 0x80 || (first === 0 && second < 0x80)) return 0;
  return first === 0 ? (number.length - 1) * 8 : (number.length - 1) * 8 + 32 - Math.clz32(first);
}

/** Returns the key size if the fields are the curve's name and an uncompressed point on it, else null. */
function getEcdsaKeySize(fields: readonly Buffer[], { name, curve, bits }: typeof P256): number | null {
  const [nameField, point] = fields;
  if (fields.length !== 2 || nameField?.toString('latin1') !== name || point?.[0] !== 4) return null;
  try {
    ECDH.convertKey(point, curve);
    return bits;
  } catch {
    return null;
  }
}

function getEd25519KeySize(fields: readonly Buffer[]): number | null {
  return fields.length === 1 && fields[0]!.length === 32 ? 256 : null;
}

/** Returns a reader for keys on a security key: their last field is the application, usually `ssh:`. */
function withoutApplication(readSize: KeyFormat['readSize']): KeyFormat['readSize'] {
  return (fields) => (fields.at(-1)?.length ? readSize(fields.slice(0, -1)) : null);
}
