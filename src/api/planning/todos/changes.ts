import type { NotificationTarget } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { TodoAction } from '#database/schema.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  findMentions,
  findTargetReaders,
  findUserIdsByUsernames,
  type NoteableSubject,
} from '../mail-messages/index.ts';
import { insertTodos, markTodoBatchDone, type TodoCause, type TodoRow } from '../todo-rows/index.ts';

// Creation and completion of to-do items.

/** A text whose mentions create to-do items. */
interface MentionText {
  readonly text: string;
  /** The previous text. Users that it mentions get no new item. */
  readonly before?: string;
  readonly noteId?: number | null;
  /** Whether the text is for members only. */
  readonly internal: boolean;
}

/** Creates to-do items for these users, authored by the actor or else by the author of the noteable. */
export async function createTodosFor(
  uow: UnitOfWork,
  { resource, container: { projectId, groupId }, authorId }: NoteableSubject,
  action: TodoAction,
  userIds: readonly number[],
): Promise<void> {
  const newTodos = [...new Set(userIds)].map((userId) => ({ userId, action }));
  const cause = { target: resource, projectId, groupId, authorId: uow.actor.user?.id ?? authorId };
  await insertTodos(uow, cause, newTodos);
}

/** Creates to-do items for newly mentioned users who may read the text. */
export async function createTodosForMentions(
  uow: UnitOfWork,
  target: NotificationTarget,
  { text, before = '', noteId = null, internal }: MentionText,
): Promise<void> {
  if (uow.actor.user === null) return;
  const previousNames = new Set(findMentions(before).map(({ name }) => name));
  const mentions = findMentions(text).filter(({ name }) => !previousNames.has(name));
  const userIdsByName = await findUserIdsByUsernames(
    uow,
    mentions.map(({ name }) => name),
  );
  if (userIdsByName.size === 0) return;
  const targetReaders = await findTargetReaders(uow, target);
  if (targetReaders === null) return;
  const readers = new Set(await targetReaders.filterReaders(uow, [...userIdsByName.values()], internal));
  const newTodos = mentions.flatMap(({ name, isDirect }) => {
    const userId = userIdsByName.get(name);
    if (userId === undefined || !readers.has(userId)) return [];
    return [{ userId, action: isDirect ? ('directly_addressed' as const) : ('mentioned' as const) }];
  });
  const { projectId, groupId } = targetReaders.container;
  await insertTodos(uow, { target, projectId, groupId, authorId: uow.actor.user.id, noteId }, newTodos);
}

/** Creates a to-do item for the caller. */
export async function createMarkedTodo(
  uow: UnitOfWork<SignedInCaller>,
  target: Pick<TodoCause, 'target' | 'projectId' | 'groupId'>,
): Promise<TodoRow | Failure<'pending'>> {
  const userId = uow.actor.user.id;
  const [todo] = await insertTodos(uow, { ...target, authorId: userId }, [{ userId, action: 'marked' }]);
  return todo ?? fail('pending');
}

/** Marks all pending to-do items of the caller as done, in batches because their number is not limited. */
export async function markAllTodosDone(runUnitOfWork: RunUnitOfWork, caller: SignedInCaller): Promise<undefined> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: recheckNothing,
    runBatch: async (uow) =>
      (await markTodoBatchDone(uow, caller.user.id, BATCH_SIZE)) === BATCH_SIZE ? MORE : undefined,
  });
}
