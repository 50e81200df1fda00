import { sql } from 'kysely';
import type { Reader } from '../../../database/database.ts';
import { isAmong } from '../../../database/dialect.ts';
import type { JobOptions } from '../../pipelines/ci-file/index.ts';

/** What of these jobs, which have environments, says what is deployed there, in the order of their ids. index: jobs primary key */
export async function deployingJobs(db: Reader, ids: readonly number[]) {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .select([
      'jobs.id',
      'jobs.environment as environmentName',
      'jobs.user_id',
      'jobs.options',
      'pipelines.ref',
      'pipelines.tag',
      'pipelines.sha',
    ])
    .where(isAmong(db, sql.ref('jobs.id'), ids))
    .orderBy('jobs.id')
    .execute();
  return rows.flatMap(({ environmentName, options, ...row }) => {
    const { environment } = JSON.parse(options) as Partial<JobOptions>;
    return environmentName === null ? [] : [{ ...row, name: environmentName, said: environment ?? null }];
  });
}

export type DeployingJob = Awaited<ReturnType<typeof deployingJobs>>[number];
