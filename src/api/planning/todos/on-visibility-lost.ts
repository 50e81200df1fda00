import { type SqlBool, sql } from 'kysely';
import { getForeignKeyColumn } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { todoVisibleTo } from '../todo-rows/index.ts';

// Deletes the to-do items of users who lose access to the target. The items do not return with the access. Until the job has run,
// lists hide them.

type JobServices = Pick<Services, 'database' | 'runUnitOfWork'>;

/** A column and id that select to-do items. */
interface TodoScope {
  readonly column: 'project_id' | 'group_id' | 'issue_id' | 'merge_request_id' | 'epic_id';
  readonly id: number;
}

export const onMembershipEnded = defineSubscription({
  event: 'membership-ended',
  inBackground: {
    kind: 'delete_todos_of_former_member',
    async handle({ database, runUnitOfWork }: JobServices, { userId, sourceType: type, sourceId: id }) {
      for (const scope of await listTodoScopes(database.reader, { type, id }))
        await deleteUnreadableOfUser(runUnitOfWork, scope, userId);
    },
  },
});

export const onTransferred = defineSubscription({
  event: 'group-or-project-transferred',
  inBackground: {
    kind: 'delete_todos_after_transfer',
    handle: (services: JobServices, parent) => deleteUnreadableInParent(services, parent),
  },
});

export const onVisibilityReduced = defineSubscription({
  event: 'visibility-reduced',
  inBackground: {
    kind: 'delete_todos_after_visibility_change',
    handle: (services: JobServices, parent) => deleteUnreadableInParent(services, parent),
  },
});

export const onNoteableHidden = defineSubscription({
  event: 'noteable-hidden',
  inBackground: {
    kind: 'delete_todos_of_hidden_resource',
    handle: (services: JobServices, { type, id }) =>
      deleteUnreadableInScope(services, { column: getForeignKeyColumn(type), id }),
  },
});

interface ParentRef {
  readonly type: 'group' | 'project';
  readonly id: number;
}

/**
 * Returns the scopes of a project, or those of a group, its descendant groups and their projects.
 * index: namespace_closure_by_ancestor, projects_by_namespace
 */
async function listTodoScopes(db: Reader, { type, id }: ParentRef): Promise<TodoScope[]> {
  if (type === 'project') return [{ column: 'project_id', id }];
  const projects = await selectDescendantProjectIds(db, id).execute();
  const groups = await selectDescendantIds(db, id).execute();
  return [
    ...projects.map((project) => ({ column: 'project_id', id: project.id }) as const),
    ...groups.map((group) => ({ column: 'group_id', id: group.descendant_id }) as const),
  ];
}

async function deleteUnreadableInParent(services: JobServices, parent: ParentRef): Promise<void> {
  for (const scope of await listTodoScopes(services.database.reader, parent))
    await deleteUnreadableInScope(services, scope);
}

/** Deletes the unreadable items of all users in the scope, one user after the other. */
async function deleteUnreadableInScope({ database, runUnitOfWork }: JobServices, scope: TodoScope): Promise<void> {
  for (let userId: number | null = 0; ; ) {
    userId = await findNextUserId(database.reader, scope, userId);
    if (userId === null) return;
    await deleteUnreadableOfUser(runUnitOfWork, scope, userId);
  }
}

/**
 * Returns the lowest user id above `afterUserId` with items in the scope, or null.
 * index: todos_by_project, todos_by_group, todos_by_issue, todos_by_merge_request, todos_by_epic
 */
async function findNextUserId(db: Reader, { column, id }: TodoScope, afterUserId: number): Promise<number | null> {
  const row = await db
    .selectFrom('todos')
    .select('user_id')
    .where(column, '=', id)
    .where('user_id', '>', afterUserId)
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

async function deleteUnreadableOfUser(
  runUnitOfWork: JobServices['runUnitOfWork'],
  scope: TodoScope,
  userId: number,
): Promise<void> {
  let afterId = 0;
  await runInBatches(runUnitOfWork, ANONYMOUS, {
    recheck: recheckNothing,
    async runBatch(uow) {
      const lastId = await deleteUnreadableBatch(uow, scope, userId, afterId);
      if (lastId !== null) afterId = lastId;
      return lastId === null ? undefined : MORE;
    },
  });
}

/**
 * Checks one batch of the user's items, those with ids above `afterId`, and deletes the unreadable ones. Returns the last id of the
 * batch, or null if it is empty.
 * index: todos_by_project, todos_by_group, todos_by_issue, todos_by_merge_request, todos_by_epic
 */
async function deleteUnreadableBatch(
  uow: UnitOfWork,
  { column, id }: TodoScope,
  userId: number,
  afterId: number,
): Promise<number | null> {
  const batch = await uow
    .selectFrom('todos')
    .select('id')
    .where(column, '=', id)
    .where('user_id', '=', userId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const lastTodo = batch.at(-1);
  if (lastTodo === undefined) return null;
  const caller = await loadCaller(uow, userId, null);
  const ids = batch.map((todo) => todo.id);
  await uow
    .deleteFrom('todos')
    .where(isInIds(uow, sql<number>`todos.id`, ids))
    .where((eb) => sql<SqlBool>`not ${todoVisibleTo(caller, uow.today)(eb)}`)
    .execute();
  return lastTodo.id;
}
