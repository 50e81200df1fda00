import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { protectionsOfAll } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader } from '#database/database.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { momentAfter, yearsBefore } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { stopAsNobody } from '../cleanup.ts';

/** Environments that nobody has looked after for long (contract/environments.md "stop_stale"). */

const WEEK = 7 * 86_400_000;
const OLDEST_YEARS = 10;
const BATCH = 100;

/** Has those stopped, soon, that nothing has happened to since this moment, which is not too lately and not too long ago. */
export async function requestStopOfStale(
  uow: UnitOfWork,
  projectId: number,
  before: string,
): Promise<{ readonly message: string } | Failure<'invalidDate'>> {
  if (before < yearsBefore(uow.now, OLDEST_YEARS) || before > momentAfter(uow.now, -WEEK)) return fail('invalidDate');
  await enqueue(uow, stopStaleEnvironments, { projectId, before }, { key: `${projectId} ${before}` });
  return { message: 'Successfully requested stop for all stale environments' };
}

interface Request {
  readonly projectId: number;
  readonly before: string;
}

/** Protected ones are left alone, whoever has asked. */
export const stopStaleEnvironments = defineJob({
  kind: 'stop-stale-environments',
  async handle({ database, runUnitOfWork, config }: Services, { projectId, before }: Request, { signal }) {
    const project = await findProject(database.reader, ANONYMOUS, String(projectId));
    if (project === null) return;
    for (let after: After = { updated_at: '', id: 0 }; !signal.aborted; ) {
      const some = await staleAfter(database.reader, { projectId, before }, after).execute();
      const protections = await protectionsOfAll(database.reader, config.tier, project, some);
      for (const [at, environment] of some.entries()) {
        if (protections[at]!.length === 0) await stopAsNobody(runUnitOfWork, environment);
      }
      const last = some.at(-1);
      if (last === undefined || some.length < BATCH) return;
      after = last;
    }
  },
});

type After = Pick<EnvironmentRow, 'updated_at' | 'id'>;

/** The next few, the longest untouched first. index: environments_stale, deployments_by_environment_update */
export function staleAfter(db: Reader, { projectId, before }: Request, after: After) {
  return db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', projectId)
    .where('environments.state', '=', sql.lit('available' as const))
    .where('environments.updated_at', '<', before)
    .where(sql<boolean>`(environments.updated_at, environments.id) > (${after.updated_at}, ${after.id})`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.environment_id', '=', 'environments.id')
            .where('deployments.updated_at', '>=', before),
        ),
      ),
    )
    .orderBy('environments.updated_at')
    .orderBy('environments.id')
    .limit(BATCH);
}
