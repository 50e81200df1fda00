import { usersById } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { TodoState } from '#database/tables/todos.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { listTodos, type TodoRow } from '../todo-rows/index.ts';
import { type Action, isMade, isTarget, type Type } from './filter.ts';

interface Asked {
  readonly state: TodoState;
  readonly action?: Action | null | undefined;
  readonly type?: Type | null | undefined;
  readonly author_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
}

/** One page of what the caller has to do; of what nothing makes there is none. */
export async function listOwn(
  db: Reader,
  caller: SignedInCaller,
  { action, type, ...filter }: Asked,
  page: OffsetRequest,
): Promise<Page<TodoRow> | Failure<'noAuthor'>> {
  const { author_id } = filter;
  if (author_id != null && !(await usersById(db, [author_id])).has(author_id)) return fail('noAuthor');
  if (action != null && !isMade(action)) return { items: [], total: 0, more: false };
  if (type != null && !isTarget(type)) return { items: [], total: 0, more: false };
  return listTodos(db, caller, { ...filter, action: action ?? null, type: type ?? null }, page);
}
