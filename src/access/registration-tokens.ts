import type { KeyObject } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Reader, Schema, Transaction } from '../database/database.ts';
import { FallenDue } from '../facts/fallen-due.ts';
import { NOBODY } from '../identity/caller.ts';
import { decrypt, encrypt } from '../secrets/encryption.ts';
import { digestToken, newToken, sameSecret } from '../secrets/tokens.ts';
import { readSettings } from '../settings/settings.ts';
import { topOf } from './closure.ts';
import { groupAttributes } from './group-attributes.ts';

/**
 * Tokens with which runners register themselves (contract/runners.md §1.8, §2.2): the instance has one, and each group and
 * project. They are shown to who may know them, so that they are kept encrypted, and found by their digest.
 */

/** Whose runner it becomes that registers with a token. */
export type Registrar =
  | { readonly type: 'instance' }
  | { readonly type: 'group'; readonly id: number }
  | {
      readonly type: 'project';
      readonly id: number /** Where that is known already. */;
      readonly namespaceId?: number;
    };

/** By which runners and people know the tokens of groups and projects. */
const PREFIX = 'GR1348941';

/**
 * Whose token this is; null for one that is nobody's. The instance's first one is what the start-up settings say, and
 * counts until there is another.
 */
export async function registrarWithToken(
  db: Reader,
  token: string,
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
  const isFirst = first !== null && sameSecret(token, first) && (await storedToken(db, { type: 'instance' })) === null;
  return isFirst ? { type: 'instance' } : null;
}

/** The token of a group or project, for who may know it. One that has none yet gets it now. */
export async function registrationTokenOf(db: Reader, key: KeyObject, of: Registrar): Promise<string> {
  const stored = await storedToken(db, of);
  if (stored !== null) return decrypt(key, stored, placeOf(of));
  throw new FallenDue((acting) => acting(NOBODY, async (act) => void (await insertToken(act, key, of))));
}

/** The same for what is said by nobody's wish, as of a secret that is to be hidden: null when it has none yet. */
export async function existingRegistrationToken(
  db: Reader,
  key: () => Promise<KeyObject>,
  of: Registrar,
): Promise<string | null> {
  const stored = await storedToken(db, of);
  return stored === null ? null : decrypt(await key(), stored, placeOf(of));
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
  const top = await topOf(db, namespaceId).select('namespaces.attributes').executeTakeFirst();
  return top === undefined || groupAttributes(top.attributes).allow_runner_registration_token;
}

// index: projects primary key
async function namespaceOf(db: Reader, of: Registrar): Promise<number | null> {
  if (of.type === 'instance') return null;
  if (of.type === 'group') return of.id;
  if (of.namespaceId !== undefined) return of.namespaceId;
  const row = await db.selectFrom('projects').select('namespace_id').where('id', '=', of.id).executeTakeFirst();
  return row?.namespace_id ?? null;
}

async function storedToken(db: Reader, of: Registrar): Promise<string | null> {
  const row = await db.selectFrom('runner_registration_tokens').select('token').where(isOf(of)).executeTakeFirst();
  return row?.token ?? null;
}

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
