import { parseSshKey, SSH_KEY_TYPES, type SshKey } from '#authentication/tokens/ssh-keys.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { getNamespacePath } from '#domain/namespaces/routes.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import {
  type Certificate,
  deleteCertificateRow,
  deleteCertificatesOfSubgroup,
  insertCertificate,
  isFingerprintRegistered,
} from './store.ts';

const MESSAGES = { create_ssh_certificate: 'Created', delete_ssh_certificate: 'Deleted' } as const;

/** Records an audit event of a certificate in its group (contract/activity.md Part 3). */
function recordCertificateEvent(
  uow: UnitOfWork,
  { id, full_path: path }: { readonly id: number; readonly full_path: string },
  name: keyof typeof MESSAGES,
  certificate: Pick<Certificate, 'id' | 'title'>,
): Promise<void> {
  return uow.record({
    name,
    entity: { type: 'Group', id, path },
    target: { type: 'Groups::SshCertificate', id: certificate.id, details: certificate.title },
    message: `${MESSAGES[name]} SSH certificate with id ${certificate.id} and title ${certificate.title}`,
  });
}

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

/** Deletes a certificate; its key can then be added again. */
export async function deleteCertificate(
  uow: UnitOfWork,
  group: Group,
  certificate: Certificate,
): Promise<undefined | Failure<'notFound'>> {
  if (!(await deleteCertificateRow(uow, certificate.id))) return fail('notFound');
  await recordCertificateEvent(uow, group, 'delete_ssh_certificate', certificate);
}

/**
 * Deletes the certificates of a group that becomes a subgroup. Otherwise their keys would stay taken, and no endpoint
 * could delete them.
 */
export const onGroupTransferred = defineSubscription<Services, 'group-or-project-transferred'>({
  event: 'group-or-project-transferred',
  async inTransaction(uow, { type, id }) {
    if (type === 'project') return;
    const deletedCertificates = await deleteCertificatesOfSubgroup(uow, id);
    if (deletedCertificates.length === 0) return;
    const { full_path } = await getNamespacePath(uow, id);
    for (const certificate of deletedCertificates)
      await recordCertificateEvent(uow, { id, full_path }, 'delete_ssh_certificate', certificate);
  },
});
