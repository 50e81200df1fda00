import { parseSshKey, SSH_KEY_TYPES, type SshKey } from '#authentication/tokens/ssh-keys.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { recordCertificateEvent } from './activity.ts';
import { type Certificate, insertCertificate, isFingerprintRegistered } from './store.ts';

/** Error for a key that any group already has. */
export const FINGERPRINT_TAKEN =
  'Fingerprint must be unique. This CA has already been configured for another namespace.';

type CreateCertificateInput = Columns<'ssh_certificates', 'title' | 'key'>;

/** Adds the public key of a trusted authority to a group, or returns the errors (contract/operations.md §4). */
export async function createCertificate(
  uow: UnitOfWork,
  group: Group,
  { title, key }: CreateCertificateInput,
): Promise<Certificate | Failure<'invalid'>> {
  const parsedKey = parseSshKey(key);
  // An invalid key hides all other errors.
  if (parsedKey === null) return fail('invalid', { messages: 'Invalid key' });
  const messages = [
    ...validateTitle(title),
    ...validateKey(key, parsedKey),
    ...validateTypeAndSize(parsedKey, await loadSettings(uow)),
  ];
  // Without other errors, the unique index reports a taken fingerprint.
  if (messages.length > 0) {
    return fail('invalid', { messages: [...messages, ...(await validateFingerprint(uow, parsedKey))].join(', ') });
  }
  const { fingerprint } = parsedKey;
  const certificate = await insertCertificate(uow, { group_id: group.id, title, key, fingerprint });
  await recordCertificateEvent(uow, group, 'create_ssh_certificate', certificate);
  return certificate;
}

function validateTitle(title: string): string[] {
  const isBlank = title.trim() === '';
  return [...(isBlank ? ["Title can't be blank"] : []), ...validateLength('Title', title, 255)];
}

function validateKey(key: string, { hasOptions }: SshKey): string[] {
  return [...validateLength('Key', key, 5000), ...(hasOptions ? ['Key is invalid'] : [])];
}

function validateLength(field: string, text: string, maxLength: number): string[] {
  return [...text].length > maxLength ? [`${field} is too long (maximum is ${maxLength} characters)`] : [];
}

/**
 * Checks the key restriction setting: 0 allows all sizes, a negative value forbids the type, and a positive value is the
 * minimum number of bits.
 */
function validateTypeAndSize({ type, bits }: SshKey, settings: ApplicationSettings): string[] {
  const minBits = settings[`${type}_key_restriction`];
  if (minBits === 0 || (minBits > 0 && bits >= minBits)) return [];
  if (minBits > 0) return [`Key must be at least ${minBits} bits`];
  const allowedTypes = SSH_KEY_TYPES.filter((keyType) => settings[`${keyType}_key_restriction`] >= 0);
  return [`Key type is forbidden. Must be ${formatAlternatives(allowedTypes.map((keyType) => keyType.toUpperCase()))}`];
}

/** Formats words as `A`, `A or B` or `A, B, or C`. */
const formatAlternatives = (words: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(words);

async function validateFingerprint(db: Reader, { fingerprint }: SshKey): Promise<string[]> {
  return (await isFingerprintRegistered(db, fingerprint)) ? [FINGERPRINT_TAKEN] : [];
}
