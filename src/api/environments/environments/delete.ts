import type { Caller } from '#authentication/caller.ts';
import { deleteSome } from '#database/batch-statements.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { inPieces, type MORE, PIECE, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteStopped } from './store.ts';

type EnvironmentKey = Pick<EnvironmentRow, 'id' | 'project_id'>;

/**
 * Removes an environment that has stopped, with its deployments, of which there may be very many, piece by piece before. The
 * jobs that have made them stay. One that is deployed to meanwhile stays too.
 */
export async function destroyEnvironment(
  runUnitOfWork: RunUnitOfWork,
  by: Caller,
  environment: EnvironmentKey,
): Promise<undefined | Failure<'gone' | 'notStopped'>> {
  return inPieces(runUnitOfWork, by, {
    ask: (uow) => stopped(uow, environment),
    piece: (uow) => destroyPiece(uow, environment.id),
  });
}

async function stopped(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentKey,
): Promise<EnvironmentRow | Failure<'gone' | 'notStopped'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('gone');
  return environment.state === 'stopped' ? environment : fail('notStopped');
}

/** index: deployments_by_environment */
async function destroyPiece(uow: UnitOfWork, id: number): Promise<typeof MORE | undefined> {
  const deployments = { table: 'deployments', column: 'environment_id' };
  const more = await pieceOf(() => deleteSome(uow, deployments, id, PIECE));
  if (more === undefined) await deleteStopped(uow, id);
  return more;
}
