import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { assignIterationBatch } from '../iteration-cadences/index.ts';

/** After a transfer, clears the iterations of former ancestor groups from issues. */
export const removeOutOfScopeIterations = defineSubscription({
  event: 'group-or-project-transferred',
  inBackground: {
    kind: 'remove_out_of_scope_iterations',
    async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>, { type, id }) {
      for (const projectId of type === 'project' ? [id] : await listDescendantProjectIds(database.reader, id)) {
        for (const iterationId of await listIterationIds(database.reader, projectId)) {
          const runBatch = (uow: UnitOfWork) =>
            runBatchSteps(() => removeIterationIfOutOfScope(uow, projectId, iterationId));
          await runInBatches(runUnitOfWork, ANONYMOUS, { recheck: recheckNothing, runBatch });
        }
      }
    },
  },
});

async function listDescendantProjectIds(db: Reader, groupId: number): Promise<number[]> {
  return (await selectDescendantProjectIds(db, groupId).execute()).map(({ id }) => id);
}

/** Returns the ids of the iterations that issues of the project have. index: issues_by_project_iteration */
async function listIterationIds(db: Reader, projectId: number): Promise<number[]> {
  const query = db
    .selectFrom('issues')
    .select('iteration_id as id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('iteration_id', 'is not', null);
  const rows = await query.modifyEnd(LONG_RUNNING).execute();
  return rows.map(({ id }) => id as number);
}

/**
 * Removes the iteration from a batch of the project's issues, unless it belongs to an ancestor group. Returns how many issues were
 * changed. index: namespace_closure_pkey
 */
async function removeIterationIfOutOfScope(tx: Transaction, projectId: number, iterationId: number): Promise<number> {
  const iterationInScope = await tx
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('iterations', 'iterations.group_id', 'namespace_closure.ancestor_id')
    .select('iterations.id')
    .where('projects.id', '=', projectId)
    .where('iterations.id', '=', iterationId)
    .executeTakeFirst();
  if (iterationInScope !== undefined) return 0;
  return assignIterationBatch(tx, null, (issues) =>
    issues.where('project_id', '=', projectId).where('iteration_id', '=', iterationId),
  );
}
