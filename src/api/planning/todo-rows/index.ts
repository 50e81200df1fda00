import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { getForeignKeyColumn, type NotificationTarget, toResourceColumns } from '#activity/index.ts';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { groupWithRole, projectFeatureVisibleTo, projectWithRole } from '#authorization/visibility.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import type { TodoAction, TodoState } from '#database/schema.ts';
import { PLANNER, REPORTER } from '#domain/members/roles.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { noteableVisibleTo } from '../issuables/index.ts';

// Rows of to-do items. This module has no endpoints; the to-do endpoints and quick actions use it.

export type TodoRow = Columns<'todos'>;

interface TodoFilter {
  readonly state: TodoState;
  readonly action?: TodoAction | null;
  /** Type of the target. */
  readonly type?: NotificationTarget['type'] | null;
  readonly author_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
}

/** Returns one page of the caller's to-do items on readable targets, newest first. index: todos_by_user, todos_by_project */
export function listTodos(
  db: Reader,
  caller: SignedInCaller,
  filter: TodoFilter,
  page: OffsetRequest,
): Promise<Page<TodoRow>> {
  const { action, type, author_id, project_id, group_id } = filter;
  let todos = db
    .selectFrom('todos')
    .selectAll('todos')
    .where('todos.user_id', '=', caller.user.id)
    .where('todos.state', '=', filter.state)
    .where(todoVisibleTo(caller, db.today));
  if (action != null) todos = todos.where('todos.action', '=', action);
  if (type != null) todos = todos.where(`todos.${getForeignKeyColumn(type)}`, 'is not', null);
  if (author_id != null) todos = todos.where('todos.author_id', '=', author_id);
  if (project_id != null) todos = todos.where('todos.project_id', '=', project_id);
  if (group_id != null) todos = todos.where(isInGroup(db, group_id));
  return paginate(db, todos.orderBy('todos.id', 'desc'), page);
}

/**
 * Returns the condition that the target is in the group or a descendant.
 * index: namespace_closure_by_ancestor, projects primary key
 */
function isInGroup(db: Reader, id: number) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> => {
    const project = eb
      .selectFrom('projects')
      .select('projects.namespace_id')
      .whereRef('projects.id', '=', 'todos.project_id');
    return eb(eb.fn.coalesce('todos.group_id', project), 'in', selectDescendantIds(db, id));
  };
}

/** Returns the condition that the caller may read the target and, if internal, the comment. */
export function todoVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> =>
    eb.and([
      noteableVisibleTo<'todos'>(caller, today, {
        Issue: 'todos.issue_id',
        MergeRequest: 'todos.merge_request_id',
        Epic: 'todos.epic_id',
      })(eb),
      // The items that refer to none of these are on commits.
      commitVisibleTo(caller, today)(eb),
      noteVisibleTo(caller, today)(eb),
    ]);
}

/** Returns the condition that the item is not on a commit, or that the caller may read the commit. index: projects primary key */
function commitVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> => {
    const project = eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'todos.project_id')
      .where(projectFeatureVisibleTo('repository_access_level', REPORTER, caller, today));
    return eb
      .case()
      .when('todos.commented_commit_id', 'is', null)
      .then(sql<SqlBool>`true`)
      .else(eb(project, 'is not', null))
      .end();
  };
}

/**
 * Returns the condition that the item has no comment, or that the caller may read it: internal comments need the Planner role.
 * index: notes primary key, projects primary key, namespaces primary key
 */
function noteVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    const userId = caller.user?.id ?? 0;
    const isInternal = eb.selectFrom('notes').select('notes.internal').whereRef('notes.id', '=', 'todos.note_id');
    const project = eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'todos.project_id')
      .where(projectWithRole(userId, PLANNER, today));
    const group = eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .whereRef('namespaces.id', '=', 'todos.group_id')
      .where(groupWithRole(userId, PLANNER, today));
    return eb
      .case()
      .when('todos.note_id', 'is', null)
      .then(sql<SqlBool>`true`)
      .when(isInternal, '=', false)
      .then(sql<SqlBool>`true`)
      .else(eb.or([eb(project, 'is not', null), eb(group, 'is not', null)]))
      .end();
  };
}

/** Returns the caller's to-do item if they may read its target, else null. index: todos primary key */
export async function findTodo(db: Reader, caller: SignedInCaller, id: number): Promise<TodoRow | null> {
  const row = await db
    .selectFrom('todos')
    .selectAll('todos')
    .where('todos.id', '=', id)
    .where('todos.user_id', '=', caller.user.id)
    .where(todoVisibleTo(caller, db.today))
    .executeTakeFirst();
  return row ?? null;
}

/** The columns that all to-do items of one event share. */
export interface TodoCause {
  readonly target: NotificationTarget;
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly authorId: number;
  readonly noteId?: number | null;
}

interface NewTodo {
  readonly userId: number;
  readonly action: TodoAction;
}

/**
 * Inserts to-do items and returns the inserted ones. A pending item for the same user, target and action is not inserted again,
 * except for mentions. index: todos_pending_by_issue, todos_pending_by_merge_request, todos_pending_by_epic
 */
export async function insertTodos(
  tx: Transaction,
  { target, projectId, groupId, authorId, noteId = null }: TodoCause,
  newTodos: readonly NewTodo[],
): Promise<TodoRow[]> {
  if (newTodos.length === 0) return [];
  const sharedColumns = {
    author_id: authorId,
    project_id: projectId,
    group_id: groupId,
    ...toResourceColumns(target),
    note_id: noteId,
    created_at: tx.now,
    updated_at: tx.now,
  };
  return tx
    .insertInto('todos')
    .values(newTodos.map(({ userId, action }) => ({ ...sharedColumns, user_id: userId, action })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
}

/**
 * Returns whether the user has a pending to-do item for the target; `action` restricts it to one action.
 * index: todos_by_issue, todos_by_merge_request, todos_by_epic, todos_by_commented_commit
 */
export function hasPendingTodo(
  db: Reader,
  userId: number,
  { type, id }: NotificationTarget,
  action?: TodoAction,
): Promise<boolean> {
  const pendingTodos = db
    .selectFrom('todos')
    .select('todos.id')
    .where('user_id', '=', userId)
    .where(getForeignKeyColumn(type), '=', id)
    .where('state', '=', 'pending');
  return hasRow(action === undefined ? pendingTodos : pendingTodos.where('action', '=', action));
}

/**
 * Marks the user's pending to-do items for the target as done. Returns whether there were any.
 * index: todos_by_issue, todos_by_merge_request, todos_by_epic, todos_by_commented_commit
 */
export async function markTodosDone(
  tx: Transaction,
  userId: number,
  { type, id }: NotificationTarget,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('user_id', '=', userId)
    .where(getForeignKeyColumn(type), '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks the item as done and returns it, or undefined if it does not exist. index: todos primary key */
export async function markTodoDone(tx: Transaction, id: number): Promise<TodoRow | undefined> {
  return tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Marks at most `limit` pending to-do items as done and returns their number. index: todos_by_user */
export async function markTodoBatchDone(tx: Transaction, userId: number, limit: number): Promise<number> {
  const batch = tx
    .selectFrom('todos')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .limit(limit);
  const { numUpdatedRows } = await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('id', 'in', batch)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
