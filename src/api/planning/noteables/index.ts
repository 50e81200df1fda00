import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { type getForeignKeyColumn, type ResourceType, toResource } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { groupVisibleTo, projectVisibleTo } from '#authorization/visibility.ts';
import type { Columns, Reader, Schema } from '#database/database.ts';
import type { IssuableKind, ProjectIssuable } from '#http/access/noteables.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { epicNoteable } from '../epics/index.ts';
import { issueNoteable } from '../issues/index.ts';
import { mergeRequestNoteable } from '../merge-requests/index.ts';

// The kinds of issuables for which other modules declare endpoints, and the shared parts of resource events. This module
// declares none.

export const ISSUABLE_KINDS: readonly [IssuableKind, IssuableKind, IssuableKind] = [
  issueNoteable,
  mergeRequestNoteable,
  epicNoteable,
];

/** The issuable types with a milestone. */
export const MILESTONE_KINDS: readonly [IssuableKind<ProjectIssuable>, IssuableKind<ProjectIssuable>] = [
  issueNoteable,
  mergeRequestNoteable,
];

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
  resource_id: Type.Integer({ description: 'The global ID, not the `iid`.' }),
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

/**
 * Returns the resource event id in the path, or 0, which no row has, if it is not a number: the endpoint then answers 404
 * (contract/planning.md §3.11).
 */
export function parseEventId({ event_id: raw }: { readonly event_id: string }): number {
  const id = /^\d+$/.test(raw) ? Number(raw) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}

/**
 * Matches labels or milestones whose project or group the caller can see. After a transfer, events may still refer to
 * labels or milestones of the former group. Uses scalar subqueries, because PostgreSQL would evaluate EXISTS for all
 * visible projects. index: projects primary key, namespaces primary key
 */
export function labelOrMilestoneVisibleTo(
  table: 'labels' | 'milestones',
  caller: Caller,
  today: string,
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, never>();
  const project = eb
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.id', '=', sql.ref<number>(`${table}.project_id`))
    .where(projectVisibleTo(caller, today))
    .limit(1);
  const group = eb
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', '=', sql.ref<number>(`${table}.group_id`))
    .where(groupVisibleTo(caller, today))
    .limit(1);
  return eb.or([eb(project, 'is not', null), eb(group, 'is not', null)]);
}
