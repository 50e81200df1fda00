import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { generateToken, hashToken } from '#security/tokens.ts';

// Reads and writes triggers.

export type TriggerRow = Columns<'pipeline_triggers'>;

const columns = [
  'id',
  'project_id',
  'owner_id',
  'description',
  'encrypted_token',
  'token_digest',
  'short_token',
  'expires_at',
  'created_at',
  'updated_at',
] as const;

/** Returns one page of a project's triggers, the oldest first. index: pipeline_triggers_by_project */
export function listTriggers(db: Reader, projectId: number, page: OffsetRequest): Promise<Page<TriggerRow>> {
  const query = db.selectFrom('pipeline_triggers').select(columns).where('project_id', '=', projectId);
  return paginate(db, query.orderBy('id'), page);
}

/** Returns the project's trigger with this id, or null. index: pipeline_triggers primary key */
export async function findTrigger(db: Reader, projectId: number, id: number): Promise<TriggerRow | null> {
  const query = db
    .selectFrom('pipeline_triggers')
    .select(columns)
    .where('id', '=', id)
    .where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

// index: pipeline_triggers_by_token
const selectTriggerByTokenHash = prepare((db, value: Params<{ digest: string; now: string }>) =>
  db
    .selectFrom('pipeline_triggers')
    .select(['id', 'project_id', 'owner_id', 'short_token'])
    .where('token_digest', '=', value('digest'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', value('now'))])),
);

/** Returns the unexpired trigger whose token has this hash, or null. */
export async function findTriggerByTokenHash(db: Reader, digest: string, now: string) {
  return (await selectTriggerByTokenHash.first(db, { digest, now })) ?? null;
}

/** Returns whether a project has at least this many triggers. index: pipeline_triggers_by_project */
export async function hasAtLeastTriggers(db: Reader, projectId: number, count: number): Promise<boolean> {
  const triggerIds = db.selectFrom('pipeline_triggers').select('id').where('project_id', '=', projectId);
  const last = await triggerIds
    .orderBy('id')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Inserts a trigger and returns it. */
export async function insertTrigger(
  tx: Transaction,
  row: Omit<TriggerRow, 'id' | 'created_at' | 'updated_at'>,
): Promise<TriggerRow> {
  return tx
    .insertInto('pipeline_triggers')
    .values({ ...row, created_at: tx.now, updated_at: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/**
 * Updates the description of a trigger. Returns null if the trigger was deleted meanwhile.
 * index: pipeline_triggers primary key
 */
export async function updateTriggerDescription(
  tx: Transaction,
  id: number,
  description: string,
): Promise<TriggerRow | null> {
  const row = await tx
    .updateTable('pipeline_triggers')
    .set({ description, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a trigger; its pipelines stay. index: pipeline_triggers primary key */
export async function deleteTrigger(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('pipeline_triggers').where('id', '=', id).execute();
}

// index: pipeline_triggers primary key, pipelines_by_trigger
const selectLastUses = prepareForIds((db, ids) =>
  db
    .selectFrom('pipeline_triggers')
    .select((eb) => [
      'pipeline_triggers.id',
      eb
        .selectFrom('pipelines')
        .select('pipelines.created_at')
        .where('pipelines.trigger_id', '=', sql.ref<number>('pipeline_triggers.id'))
        .orderBy('pipelines.id', 'desc')
        .limit(1)
        .as('used_at'),
    ])
    .where('pipeline_triggers.id', 'in', ids),
);

/** Returns the creation time of each trigger's newest pipeline by trigger id; null without pipelines. */
export async function loadLastUses(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
  return new Map((await selectLastUses(db, ids)).map(({ id, used_at }) => [id, used_at]));
}

// Trigger tokens: stored encrypted, because their owners may read them again.

const PREFIX = 'glptt-';
const LENGTH = 40;
const SHORT_TOKEN_LENGTH = 4;

const { buildContext } = ENCRYPTED_COLUMNS.triggerToken;

/** Generates a token and returns the columns to store. */
export function generateEncryptedToken(key: KeyObject) {
  const token = generateToken(PREFIX, LENGTH);
  const token_digest = hashToken(token);
  return {
    encrypted_token: encrypt(key, token, buildContext({ token_digest })),
    token_digest,
    short_token: token.slice(PREFIX.length, PREFIX.length + SHORT_TOKEN_LENGTH),
  };
}

/** Returns the token in plain text. */
export function decryptToken(
  key: KeyObject,
  row: { readonly encrypted_token: string; readonly token_digest: string },
): string {
  return decrypt(key, row.encrypted_token, buildContext(row));
}
