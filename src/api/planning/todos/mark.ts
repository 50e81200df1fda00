import type { SignedInCaller } from '#authentication/caller.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { insertTodos, markTodoBatchDone, type TodoCause, type TodoRow } from '../todo-rows/index.ts';

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
