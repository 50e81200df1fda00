import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { projectsInside } from '#domain/namespaces/hierarchy.ts';
import { inPieces, nothingToAsk, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { giveIteration } from '../iteration-cadences/index.ts';

/** Issues of what hangs elsewhere now lose iterations of groups that are not above them any more. */
export const loseIterations = subscription({
  event: 'transferred',
  inBackground: {
    kind: 'lose_iterations_out_of_reach',
    async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>, { type, id }) {
      for (const projectId of type === 'project' ? [id] : await projectsOf(database.reader, id)) {
        for (const iterationId of await iterationsIn(database.reader, projectId)) {
          const piece = (uow: UnitOfWork) => pieceOf(() => takeOffOutOfReach(uow, projectId, iterationId));
          await inPieces(runUnitOfWork, ANONYMOUS, { ask: nothingToAsk, piece });
        }
      }
    },
  },
});

async function projectsOf(db: Reader, groupId: number): Promise<number[]> {
  return (await projectsInside(db, groupId).execute()).map(({ id }) => id);
}

/** The iterations that issues of the project have. index: issues_by_project_iteration */
async function iterationsIn(db: Reader, projectId: number): Promise<number[]> {
  const had = db
    .selectFrom('issues')
    .select('iteration_id as id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('iteration_id', 'is not', null);
  const rows = await had.modifyEnd(mayBeLong).execute();
  return rows.map(({ id }) => id as number);
}

/** From some issues of the project, unless it is in the iteration's reach; says how many. index: namespace_closure_pkey */
async function takeOffOutOfReach(tx: Transaction, projectId: number, iterationId: number): Promise<number> {
  const reached = await tx
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('iterations', 'iterations.group_id', 'namespace_closure.ancestor_id')
    .select('iterations.id')
    .where('projects.id', '=', projectId)
    .where('iterations.id', '=', iterationId)
    .executeTakeFirst();
  if (reached !== undefined) return 0;
  return giveIteration(tx, null, (issues) =>
    issues.where('project_id', '=', projectId).where('iteration_id', '=', iterationId),
  );
}
