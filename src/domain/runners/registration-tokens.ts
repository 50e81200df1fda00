import type { KeyObject } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { sign } from '#security/signatures.ts';
import { generateToken, hashToken, secretsEqual } from '#security/tokens.ts';
import { loadSettings } from '#settings/settings.ts';
import { parseGroupAttributes } from '../namespaces/group-attributes.ts';
import { selectRootNamespace } from '../namespaces/hierarchy.ts';

// Registration tokens of runners (contract/runners.md §1.8, §2.2): one for the instance and for each group and project.
// The API shows them, so they are stored encrypted and looked up by their digest. Initial tokens of groups and projects are not
// stored.

/** The instance, group or project that a newly registered runner belongs to. */
export type RunnerOwner = { readonly type: 'instance' } | RunnerOwnerRef;

/**
 * Returns the owner of a registration token; null for an unknown token. The initial token of the instance comes from
 * the start-up settings and is valid until it is reset.
 */
export async function findRunnerOwnerByToken(
  db: Reader,
  token: string,
  loadKey: () => Promise<KeyObject>,
  { registrationToken: startupToken }: { readonly registrationToken: string | null },
): Promise<RunnerOwner | null> {
  // index: runner_registration_tokens_by_token
  const row = await db
    .selectFrom('runner_registration_tokens')
    .select(['group_id', 'project_id'])
    .where('token_digest', '=', hashToken(token))
    .executeTakeFirst();
  if (row?.group_id != null) return { type: 'group', id: row.group_id };
  if (row?.project_id != null) return { type: 'project', id: row.project_id };
  if (row !== undefined) return { type: 'instance' };
  const owner = parseInitialToken(await loadKey(), token);
  if (owner !== null) return (await hasInitialToken(db, owner)) ? owner : null;
  const isStartupToken =
    startupToken !== null &&
    secretsEqual(token, startupToken) &&
    (await findStoredToken(db, { type: 'instance' })) === null;
  return isStartupToken ? { type: 'instance' } : null;
}

/** Returns the registration token of a group or project. Callers check the permission to read it. */
export async function getRegistrationToken(db: Reader, key: KeyObject, owner: RunnerOwnerRef): Promise<string> {
  return revealToken(key, owner, await findStoredToken(db, owner));
}

/** Returns the registration token as `getRegistrationToken` does; null if registration tokens are not allowed. */
export async function findRegistrationToken(db: Reader, key: KeyObject, owner: RunnerOwnerRef): Promise<string | null> {
  const [isAllowed, storedToken] = await Promise.all([allowsRegistrationTokens(db, owner), findStoredToken(db, owner)]);
  return isAllowed ? revealToken(key, owner, storedToken) : null;
}

const revealToken = (key: KeyObject, owner: RunnerOwnerRef, storedToken: string | null): string =>
  storedToken === null ? deriveInitialToken(key, owner) : decrypt(key, storedToken, buildEncryptionContext(owner));

/** Returns whether the owner exists and still uses its initial token. */
async function hasInitialToken(db: Reader, { type, id }: RunnerOwnerRef): Promise<boolean> {
  // index: projects primary key, namespaces primary key
  const ownerRow =
    type === 'project'
      ? db.selectFrom('projects').select('id').where('id', '=', id)
      : db.selectFrom('namespaces').select('id').where('id', '=', id).where('kind', '=', 'group');
  return (await findStoredToken(db, { type, id })) === null && (await hasRow(ownerRow));
}

/**
 * Replaces the registration token and returns the new one. Callers take the lock `buildRegistrationTokenLockKey`; without it,
 * a concurrent reset throws a unique violation.
 */
export async function resetRegistrationToken(tx: Transaction, key: KeyObject, owner: RunnerOwner): Promise<string> {
  await tx.deleteFrom('runner_registration_tokens').where(isOwnedBy(owner)).execute();
  const token = generateToken(owner.type === 'instance' ? '' : REGISTRATION_TOKEN_PREFIX);
  await tx
    .insertInto('runner_registration_tokens')
    .values({
      ...toOwnerColumns(owner),
      token: encrypt(key, token, buildEncryptionContext(owner)),
      token_digest: hashToken(token),
    })
    .execute();
  return token;
}

/** Lock key for resetting the registration token of an owner. */
export const buildRegistrationTokenLockKey = (owner: RunnerOwner): string => buildEncryptionContext(owner);

/** Returns whether registration tokens are allowed: by the instance, and by the owner's top-level group. */
export async function allowsRegistrationTokens(db: Reader, owner: RunnerOwner): Promise<boolean> {
  if (!(await loadSettings(db)).allow_runner_registration_token) return false;
  const namespaceId = await getNamespaceId(db, owner);
  if (namespaceId === null) return true;
  const rootGroup = await findRootGroupAttributes.first(db, { namespaceId });
  return rootGroup === undefined || parseGroupAttributes(rootGroup.attributes).allow_runner_registration_token;
}

// index: namespace_closure_pkey
const findRootGroupAttributes = prepare((db, value: Params<{ namespaceId: number }>) =>
  selectRootNamespace(db, value('namespaceId')).select('namespaces.attributes'),
);

/** Returns the group, or the namespace of the project; null for the instance. index: projects primary key */
async function getNamespaceId(db: Reader, owner: RunnerOwner): Promise<number | null> {
  if (owner.type === 'instance') return null;
  if (owner.type === 'group') return owner.id;
  if (owner.namespaceId !== undefined) return owner.namespaceId;
  const row = await db.selectFrom('projects').select('namespace_id').where('id', '=', owner.id).executeTakeFirst();
  return row?.namespace_id ?? null;
}

/** Returns the encrypted token of an owner; null if it was never reset. */
async function findStoredToken(db: Reader, owner: RunnerOwner): Promise<string | null> {
  const row =
    owner.type === 'project'
      ? await findProjectToken.first(db, owner)
      : await db.selectFrom('runner_registration_tokens').select('token').where(isOwnedBy(owner)).executeTakeFirst();
  return row?.token ?? null;
}

/** Prepared, because it runs whenever a maintainer reads a project. index: runner_registration_tokens_by_project */
const findProjectToken = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('runner_registration_tokens').select('token').where('project_id', '=', value('id')),
);

// Condition: the token belongs to this owner.
// index: runner_registration_tokens_by_group, runner_registration_tokens_by_project, runner_registration_tokens_of_instance
function isOwnedBy(owner: RunnerOwner) {
  return (eb: ExpressionBuilder<Schema, 'runner_registration_tokens'>) => {
    if (owner.type === 'group') return eb('group_id', '=', owner.id);
    if (owner.type === 'project') return eb('project_id', '=', owner.id);
    return eb.and([eb('group_id', 'is', null), eb('project_id', 'is', null)]);
  };
}

/** Returns the context to which the encrypted token is bound. */
function buildEncryptionContext(owner: RunnerOwner) {
  return ENCRYPTED_COLUMNS.registrationToken.buildContext(toOwnerColumns(owner));
}

function toOwnerColumns(owner: RunnerOwner) {
  return {
    group_id: owner.type === 'group' ? owner.id : null,
    project_id: owner.type === 'project' ? owner.id : null,
  };
}

/** Prefix of the registration tokens of groups and projects. */
const REGISTRATION_TOKEN_PREFIX = 'GR1348941';

/** Purpose of the signatures: the same text is signed differently for other purposes. */
const PURPOSE = 'registration tokens';

/** A group or project with runners. */
export interface RunnerOwnerRef {
  readonly type: 'group' | 'project';
  readonly id: number;
  /** Namespace of a project, if it is already loaded. */
  readonly namespaceId?: number;
}

/**
 * Returns the initial token of a group or project; the same for each call with the same key. It contains its owner and a
 * signature of this server, so that nothing is stored until a user resets it.
 */
function deriveInitialToken(key: KeyObject, { type, id }: RunnerOwnerRef): string {
  const signedText = `${type === 'group' ? 'g' : 'p'}${id}`;
  return `${REGISTRATION_TOKEN_PREFIX}${signedText}-${sign(key, PURPOSE, signedText)}`;
}

/** Returns the owner in an initial token, which may not exist anymore. Null: the token is not from this server. */
function parseInitialToken(key: KeyObject, token: string): RunnerOwnerRef | null {
  const [, signedText = '', signatureText = ''] = /^GR1348941([gp]\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  if (signedText === '' || !secretsEqual(signatureText, sign(key, PURPOSE, signedText))) return null;
  return { type: signedText.startsWith('g') ? 'group' : 'project', id: Number(signedText.slice(1)) };
}
