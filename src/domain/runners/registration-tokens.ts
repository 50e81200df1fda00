import type { KeyObject } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { digestToken, newToken, sameSecret } from '#security/tokens.ts';
import { readSettings } from '#settings/settings.ts';
import { groupAttributes } from '../namespaces/group-attributes.ts';
import { topOf } from '../namespaces/hierarchy.ts';
import { firstTokenOf, PREFIX, type RegistrarPlace, readFirstToken } from './initial-registration-tokens.ts';

/**
 * Tokens with which runners register themselves (contract/runners.md §1.8, §2.2): the instance has one, and each group and
 * project. They are shown to who may know them, so that they are kept encrypted, and found by their digest; but for the first
 * ones of groups and projects, which are not kept.
 */

/** Whose runner it becomes that registers with a token. */
export type Registrar = { readonly type: 'instance' } | RegistrarPlace;

/**
 * Whose token this is; null for one that is nobody's. The instance's first one is what the start-up settings say, and
 * counts until there is another.
 */
export async function registrarWithToken(
  db: Reader,
  token: string,
  key: () => Promise<KeyObject>,
  { registrationToken: first }: { readonly registrationToken: string | null },
): Promise<Registrar | null> {
  // index: runner_registration_tokens_by_token
  const row = await db
    .selectFrom('runner_registration_tokens')
    .select(['group_id', 'project_id'])
    .where('token_digest', '=', digestToken(token))
    .executeTakeFirst();
  if (row?.group_id != null) return { type: 'group', id: row.group_id };
  if (row?.project_id != null) return { type: 'project', id: row.project_id };
  if (row !== undefined) return { type: 'instance' };
  const place = readFirstToken(await key(), token);
  if (place !== null) return (await hasFirstToken(db, place)) ? place : null;
  const isFirst = first !== null && sameSecret(token, first) && (await storedToken(db, { type: 'instance' })) === null;
  return isFirst ? { type: 'instance' } : null;
}

/** The token of a group or project, for who may know it. */
export async function registrationTokenOf(db: Reader, key: KeyObject, of: RegistrarPlace): Promise<string> {
  const stored = await storedToken(db, of);
  return stored === null ? firstTokenOf(key, of) : decrypt(key, stored, placeOf(of));
}

/** It is there, and has got no other token. */
async function hasFirstToken(db: Reader, { type, id }: RegistrarPlace): Promise<boolean> {
  // index: projects primary key, namespaces primary key
  const place =
    type === 'project'
      ? db.selectFrom('projects').select('id').where('id', '=', id)
      : db.selectFrom('namespaces').select('id').where('id', '=', id).where('kind', '=', 'group');
  return (await storedToken(db, { type, id })) === null && (await hasRow(place));
}

/** Gives it another token and returns that; the one before counts no more. Those that come together belong into one turn. */
export async function renewRegistrationToken(tx: Transaction, key: KeyObject, of: Registrar): Promise<string> {
  await tx.deleteFrom('runner_registration_tokens').where(isOf(of)).execute();
  return insertToken(tx, key, of);
}

export const turnOfRegistrationToken = (of: Registrar): string => placeOf(of);

/** Is registering by a token allowed there? The instance decides for all, a group at the top for what is in it. */
export async function allowsRegistrationTokens(db: Reader, of: Registrar): Promise<boolean> {
  if (!(await readSettings(db)).allow_runner_registration_token) return false;
  const namespaceId = await namespaceOf(db, of);
  if (namespaceId === null) return true;
  const top = await topAttributes.first(db, { namespaceId });
  return top === undefined || groupAttributes(top.attributes).allow_runner_registration_token;
}

const topAttributes = prepare((db, value: Params<{ namespaceId: number }>) =>
  topOf(db, value('namespaceId')).select('namespaces.attributes'),
);

// index: projects primary key
async function namespaceOf(db: Reader, of: Registrar): Promise<number | null> {
  if (of.type === 'instance') return null;
  if (of.type === 'group') return of.id;
  if (of.namespaceId !== undefined) return of.namespaceId;
  const row = await db.selectFrom('projects').select('namespace_id').where('id', '=', of.id).executeTakeFirst();
  return row?.namespace_id ?? null;
}

async function storedToken(db: Reader, of: Registrar): Promise<string | null> {
  return (await (of.type === 'project' ? tokenOfProject.first(db, of) : tokenOf(db, of)))?.token ?? null;
}

const tokenOf = (db: Reader, of: Registrar) =>
  db.selectFrom('runner_registration_tokens').select('token').where(isOf(of)).executeTakeFirst();

/** Each maintainer who is shown a project is shown it. index: runner_registration_tokens_by_project */
const tokenOfProject = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('runner_registration_tokens').select('token').where('project_id', '=', value('id')),
);

/** One that somebody else has made meanwhile stays. */
async function insertToken(tx: Transaction, key: KeyObject, of: Registrar): Promise<string> {
  const token = newToken(of.type === 'instance' ? '' : PREFIX);
  await tx
    .insertInto('runner_registration_tokens')
    .values({
      group_id: of.type === 'group' ? of.id : null,
      project_id: of.type === 'project' ? of.id : null,
      token: encrypt(key, token, placeOf(of)),
      token_digest: digestToken(token),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return token;
}

// index: runner_registration_tokens_by_group, runner_registration_tokens_by_project, runner_registration_tokens_of_instance
function isOf(of: Registrar) {
  return (eb: ExpressionBuilder<Schema, 'runner_registration_tokens'>) => {
    if (of.type === 'group') return eb('group_id', '=', of.id);
    if (of.type === 'project') return eb('project_id', '=', of.id);
    return eb.and([eb('group_id', 'is', null), eb('project_id', 'is', null)]);
  };
}

function placeOf(of: Registrar): string {
  return `runner_registration_tokens.token:${of.type === 'instance' ? of.type : `${of.type} ${of.id}`}`;
}
