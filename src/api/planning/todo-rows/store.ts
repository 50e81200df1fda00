import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { columnOf, ofResource, type Resource } from '#activity/index.ts';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { groupWithRole, projectWithRole } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paged } from '#database/page.ts';
import type { TodoAction, TodoState } from '#database/tables/todos.ts';
import { PLANNER } from '#domain/members/roles.ts';
import { namespacesInside } from '#domain/namespaces/hierarchy.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { thingVisibleTo } from '../issuables/index.ts';

/** The rows of to-dos. */

export type TodoRow = Selectable<Schema['todos']>;

interface Filter {
  readonly state: TodoState;
  readonly action?: TodoAction | null;
  /** No to-do has a target of another type. */
  readonly type?: Resource['type'] | null;
  readonly author_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
}

/** One page of a user's to-dos on what he may read, the latest first. index: todos_by_user, todos_by_project */
export function listTodos(
  db: Reader,
  caller: SignedInCaller,
  filter: Filter,
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
  if (type != null) todos = todos.where(`todos.${columnOf(type)}`, 'is not', null);
  if (author_id != null) todos = todos.where('todos.author_id', '=', author_id);
  if (project_id != null) todos = todos.where('todos.project_id', '=', project_id);
  if (group_id != null) todos = todos.where(inGroup(db, group_id));
  return paged(db, todos.orderBy('todos.id', 'desc'), page);
}

/** In the group or in what is below it. index: namespace_closure_by_ancestor, projects primary key */
function inGroup(db: Reader, id: number) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> => {
    const project = eb
      .selectFrom('projects')
      .select('projects.namespace_id')
      .whereRef('projects.id', '=', 'todos.project_id');
    return eb(eb.fn.coalesce('todos.group_id', project), 'in', namespacesInside(db, id));
  };
}

/** To-dos on things that the caller may read, and those of comments for members only that he may. */
export function todoVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> =>
    eb.and([
      thingVisibleTo<'todos'>(
        caller,
        today,
        { Issue: 'todos.issue_id', MergeRequest: 'todos.merge_request_id', Epic: 'todos.epic_id' },
        false,
      )(eb),
      noteVisibleTo(caller, today)(eb),
    ]);
}

/** index: notes primary key, projects primary key, namespaces primary key */
function noteVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'todos'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    const id = caller.user?.id ?? 0;
    const internal = eb.selectFrom('notes').select('notes.internal').whereRef('notes.id', '=', 'todos.note_id');
    const project = eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'todos.project_id')
      .where(projectWithRole(id, PLANNER, today));
    const group = eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .whereRef('namespaces.id', '=', 'todos.group_id')
      .where(groupWithRole(id, PLANNER, today));
    return eb
      .case()
      .when('todos.note_id', 'is', null)
      .then(sql<SqlBool>`true`)
      .when(internal, '=', false)
      .then(sql<SqlBool>`true`)
      .else(eb.or([eb(project, 'is not', null), eb(group, 'is not', null)]))
      .end();
  };
}

/** The user's own of this id, while he may read what it is on. index: todos primary key */
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

/** What to-dos of one cause have in common. */
export interface Cause {
  readonly target: Resource;
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly authorId: number;
  readonly noteId?: number | null;
}

interface Wanted {
  readonly userId: number;
  readonly action: TodoAction;
}

/** Those that are pending already stay the only ones, but mentions add up. index: todos_pending_by_issue, todos_pending_by_merge_request, todos_pending_by_epic */
export async function insertTodos(
  tx: Transaction,
  { target, projectId, groupId, authorId, noteId = null }: Cause,
  wanted: readonly Wanted[],
): Promise<TodoRow[]> {
  if (wanted.length === 0) return [];
  const shared = {
    author_id: authorId,
    project_id: projectId,
    group_id: groupId,
    ...ofResource(target),
    note_id: noteId,
    created_at: tx.now,
    updated_at: tx.now,
  };
  return tx
    .insertInto('todos')
    .values(wanted.map(({ userId, action }) => ({ ...shared, user_id: userId, action })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
}

/** Has the user something to do there, of this action or of any? index: todos_by_issue, todos_by_merge_request, todos_by_epic */
export function isPending(db: Reader, userId: number, { type, id }: Resource, action?: TodoAction): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('todos')
      .select('todos.id')
      .where('user_id', '=', userId)
      .where(columnOf(type), '=', id)
      .where('state', '=', 'pending')
      .$if(action !== undefined, (query) => query.where('action', '=', action as TodoAction)),
  );
}

/** What the user had to do there is done; says whether there was something. index: todos_by_issue, todos_by_merge_request, todos_by_epic */
export async function finishTodosOn(tx: Transaction, userId: number, { type, id }: Resource): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('user_id', '=', userId)
    .where(columnOf(type), '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** index: todos primary key */
export async function finishTodo(tx: Transaction, id: number): Promise<TodoRow | undefined> {
  return tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** So many at most of those that are pending are done; how many they were. index: todos_by_user */
export async function finishSome(tx: Transaction, userId: number, most: number): Promise<number> {
  const some = tx
    .selectFrom('todos')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .limit(most);
  const { numUpdatedRows } = await tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('id', 'in', some)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
