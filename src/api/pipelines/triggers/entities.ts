import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { decryptToken, loadLastUses, type TriggerRow } from './store.ts';

async function loadTriggerRelations(rows: readonly TriggerRow[], { db, secretKey }: SerializationContext) {
  const ownerIds = rows.map(({ owner_id }) => owner_id);
  const ids = rows.map(({ id }) => id);
  const [ownersById, lastUsesById, key] = await Promise.all([
    loadUsersById(db, ownerIds),
    loadLastUses(db, ids),
    secretKey(),
  ]);
  return { ownersById, lastUsesById, secretKey: key };
}

/** A trigger token of a project (contract/runners.md §4.6). */
export const Trigger = entity('PipelineTrigger', {
  id: Type.Integer(),
  token: Type.String({ description: 'Complete for the owner and administrators; for others the first characters.' }),
  description: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
  /** Creation time of the newest pipeline. */
  last_used: nullable(dateTime),
  expires_at: nullable(dateTime),
  owner: UserBasic.schema,
})
  .columns('id', 'description', 'created_at', 'updated_at', 'expires_at')
  .from(loadTriggerRelations, (row: TriggerRow, context, { ownersById, lastUsesById, secretKey }) => ({
    token: canReadToken(context, row) ? decryptToken(secretKey, row) : row.short_token,
    last_used: lastUsesById.get(row.id) ?? null,
    owner: UserBasic.serialize(requireRow(ownersById.get(row.owner_id)), context),
  }));

function canReadToken({ caller }: SerializationContext, { owner_id }: TriggerRow): boolean {
  return caller.user?.id === owner_id || isAdministrator(caller);
}
