import { Type } from 'typebox';
import { type getForeignKeyColumn, type ResourceType, toResource } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

/** Fields of all resource events (contract/planning.md §1 "StateEvent", "MilestoneEvent"). */
export const baseEventFields = {
  id: Type.Integer(),
  /** Null after the account was deleted. */
  user: nullable(UserBasic.schema),
  created_at: dateTime,
};

/** Fields of resource events of any issuable type. */
export const resourceEventFields = {
  ...baseEventFields,
  resource_type: Type.String(),
  /** The global id. */
  resource_id: Type.Integer(),
};

type BaseEventRow = Columns<'resource_weight_events', 'id' | 'user_id' | 'created_at'>;

type ResourceEventRow = BaseEventRow & {
  readonly [Name in ReturnType<typeof getForeignKeyColumn<ResourceType>>]?: number | null;
};

type Users = Awaited<ReturnType<typeof loadUsersById>>;

/** Loads the users who caused these events. */
export function loadEventUsers(db: Reader, rows: readonly BaseEventRow[]): Promise<Users> {
  return loadUsersById(
    db,
    rows.map(({ user_id }) => user_id),
  );
}

/** Serializes the user and timestamp of an event. */
export function serializeBaseEvent(
  { id, user_id, created_at }: BaseEventRow,
  context: SerializationContext,
  users: Users,
) {
  const user = users.get(user_id ?? 0);
  return { id, user: user === undefined ? null : UserBasic.serialize(user, context), created_at };
}

/** Serializes the fields of `resourceEventFields`. */
export function serializeResourceEvent(row: ResourceEventRow, context: SerializationContext, users: Users) {
  const { type, id } = toResource(row);
  return {
    ...serializeBaseEvent(row, context, users),
    resource_type: type,
    resource_id: id,
  };
}
