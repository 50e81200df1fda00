import { parseSshKey, SSH_KEY_TYPES, type SshKey } from '#authentication/tokens/ssh-keys.ts';
import type { Reader } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { recordCertificate } from './activity.ts';
import { type Certificate, insertCertificate, isRegistered } from './store.ts';

/** What is refused of a key that any group has already. */
export const TAKEN = 'Fingerprint must be unique. This CA has already been configured for another namespace.';

interface Wish {
  readonly title: string;
  readonly key: string;
}

/** Has a group trust an authority by its public key, or says what is wrong with it (contract/operations.md §4). */
export async function createCertificate(
  uow: UnitOfWork,
  group: Group,
  { title, key }: Wish,
): Promise<Certificate | Failure<'invalid'>> {
  const parsed = parseSshKey(key);
  // Wins over all other texts.
  if (parsed === null) return fail('invalid', { texts: 'Invalid key' });
  const texts = [...titleTexts(title), ...keyTexts(key, parsed), ...sizeTexts(parsed, await loadSettings(uow))];
  if (texts.length > 0) {
    return fail('invalid', { texts: [...texts, ...(await fingerprintTexts(uow, parsed))].join(', ') });
  }
  const { fingerprint } = parsed;
  const certificate = await insertCertificate(uow, { group_id: group.id, title, key, fingerprint });
  await recordCertificate(uow, group, 'create_ssh_certificate', certificate);
  return certificate;
}

function titleTexts(title: string): string[] {
  const isBlank = title.trim() === '';
  return [...(isBlank ? ["Title can't be blank"] : []), ...tooLong('Title', title, 255)];
}

function keyTexts(key: string, { hasOptions }: SshKey): string[] {
  return [...tooLong('Key', key, 5000), ...(hasOptions ? ['Key is invalid'] : [])];
}

function tooLong(field: string, text: string, most: number): string[] {
  return [...text].length > most ? [`${field} is too long (maximum is ${most} characters)`] : [];
}

/** What the settings say of keys of this type and size: any at 0, none below, otherwise so many bits at least. */
function sizeTexts({ type, bits }: SshKey, settings: ApplicationSettings): string[] {
  const least = settings[`${type}_key_restriction`];
  if (least === 0 || (least > 0 && bits >= least)) return [];
  if (least > 0) return [`Key must be at least ${least} bits`];
  const allowed = SSH_KEY_TYPES.filter((other) => settings[`${other}_key_restriction`] >= 0);
  return [`Key type is forbidden. Must be ${oneOf(allowed.map((other) => other.toUpperCase()))}`];
}

/** `A`, `A or B`, `A, B, or C`. */
const oneOf = (words: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(words);

async function fingerprintTexts(db: Reader, { fingerprint }: SshKey): Promise<string[]> {
  return (await isRegistered(db, fingerprint)) ? [TAKEN] : [];
}
