import type { SignedInCaller } from '#authentication/caller.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type Cause, finishSome, insertTodos, type TodoRow } from '../todo-rows/index.ts';

/** Gives the caller himself something to do. */
export async function mark(
  uow: UnitOfWork<SignedInCaller>,
  target: Pick<Cause, 'target' | 'projectId' | 'groupId'>,
): Promise<TodoRow | Failure<'pending'>> {
  const userId = uow.actor.user.id;
  const [made] = await insertTodos(uow, { ...target, authorId: userId }, [{ userId, action: 'marked' }]);
  return made ?? fail('pending');
}

/** All that the caller has to do is done, some at a time: to-dos are kept without end. */
export async function finishAll(runUnitOfWork: RunUnitOfWork, caller: SignedInCaller): Promise<undefined> {
  await inPieces(runUnitOfWork, caller, {
    ask: nothingToAsk,
    piece: async (uow) => ((await finishSome(uow, caller.user.id, PIECE)) === PIECE ? MORE : undefined),
  });
}
