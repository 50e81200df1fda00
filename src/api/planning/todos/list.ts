import { loadUsersById } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { TodoState } from '#database/schema.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { listTodos, type TodoRow } from '../todo-rows/index.ts';
import { isSupportedAction, isSupportedTarget, type TodoActionFilter, type TodoTargetType } from './filter.ts';

interface ListTodosParams {
  readonly state: TodoState;
  readonly action?: TodoActionFilter | null | undefined;
  readonly type?: TodoTargetType | null | undefined;
  readonly author_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
}

/** Returns one page of the caller's to-do items; filters that no item can match give an empty page. */
export async function listTodosOfCaller(
  db: Reader,
  caller: SignedInCaller,
  { action, type, ...filter }: ListTodosParams,
  page: OffsetRequest,
): Promise<ListPage<TodoRow> | Failure<'noAuthor'>> {
  const { author_id } = filter;
  if (author_id != null && !(await loadUsersById(db, [author_id])).has(author_id)) return fail('noAuthor');
  if (action != null && !isSupportedAction(action)) return { items: [], total: 0, hasMore: false };
  if (type != null && !isSupportedTarget(type)) return { items: [], total: 0, hasMore: false };
  return listTodos(db, caller, { ...filter, action: action ?? null, type: type ?? null }, page);
}
