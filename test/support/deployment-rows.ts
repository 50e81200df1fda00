import type { Insertable } from 'kysely';
import type { Schema } from '#database/database.ts';
import { allocateIid } from '#domain/iids.ts';
import { insertJobRow, insertPipelineRow } from './pipeline-rows.ts';
import type { Project, World } from './world.ts';

// Inserts deployments directly, for tests that do not concern their creation.

interface Environment {
  readonly id: number;
  readonly name: string;
}

/** Inserts a successful deployment without a job, as the API creates it, and returns its id. */
export async function deploymentRow(
  here: World,
  project: Project,
  environment: Pick<Environment, 'id'>,
  row: Partial<Insertable<Schema['deployments']>> = {},
): Promise<number> {
  return here.server.services.database.transaction(async (tx) => {
    const values = {
      project_id: project.id,
      iid: await allocateIid(tx, { projectId: project.id }, 'deployment'),
      environment_id: environment.id,
      ref: 'main',
      tag: false,
      sha: 'a'.repeat(40),
      user_id: project.owner.id,
      job_id: null,
      on_stop: null,
      status: 'success',
      finished_at: tx.now,
      created_at: tx.now,
      updated_at: tx.now,
      ...row,
    } as const;
    return (await tx.insertInto('deployments').values(values).returning('id').executeTakeFirstOrThrow()).id;
  });
}

type JobRow = NonNullable<Parameters<typeof insertJobRow>[2]>;

export interface DeploymentFixture {
  readonly pipeline: number;
  readonly deploy: number;
  readonly halt: number;
  readonly deployment: number;
}

/**
 * Inserts a pipeline with a finished job `deploy` that deployed to the environment, and a manual job `halt` that stops it.
 * Both jobs belong to the project's owner unless `deploy` or `halt` name another user.
 */
export async function createDeploymentFixture(
  here: World,
  project: Project,
  environment: Environment,
  { deploy = {}, halt = {}, ref = 'feature' }: { deploy?: JobRow; halt?: JobRow; ref?: string } = {},
): Promise<DeploymentFixture> {
  const pipeline = await insertPipelineRow(here, project, { ref, status: 'success' });
  const now = here.clock.now().toISOString();
  const job = (name: string, action: string, row: JobRow) =>
    insertJobRow(here, project, {
      pipeline_id: pipeline,
      name,
      environment: environment.name,
      options: JSON.stringify({
        environment: { name: environment.name, action, ...(action === 'start' ? { on_stop: 'halt' } : {}) },
      }),
      ...row,
    });
  const ids = {
    deploy: await job('deploy', 'start', { status: 'success', finished_at: now, ...deploy }),
    halt: await job('halt', 'stop', { status: 'manual', run_when: 'manual', allow_failure: true, ...halt }),
  };
  const row = { job_id: ids.deploy, on_stop: 'halt', ref, status: deploy.status as 'success', finished_at: now };
  const deployment = await deploymentRow(here, project, environment, { ...row, status: row.status ?? 'success' });
  return { pipeline, ...ids, deployment };
}
