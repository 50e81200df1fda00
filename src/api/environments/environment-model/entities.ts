import { Type } from 'typebox';
import { loadUsersById, UserBasic, type UserBasicRow } from '#api/identity/users/index.ts';
import { Job } from '#api/pipelines/jobs/index.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { findJobs } from '#domain/jobs.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

// Fields of all variants of an environment (contract/environments.md "Environment object").

const text = Type.String();

export const environmentFields = {
  id: Type.Integer(),
  name: text,
  slug: text,
  external_url: nullable(text),
  created_at: dateTime,
  updated_at: dateTime,
};

export const ENVIRONMENT_COLUMNS = ['id', 'name', 'slug', 'external_url', 'created_at', 'updated_at'] as const;

/** An environment inside other entities. */
export const EnvironmentBasic = entity('EnvironmentBasic', environmentFields).columns();

/** Fields of all variants of a deployment (contract/environments.md "Deployment object"). */
export const deploymentFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  ref: Type.String(),
  sha: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
  /** Null if the user is deleted. */
  user: nullable(UserBasic.schema),
  /** The job of the deployment; null if it was reported by the API or the job is deleted. */
  deployable: nullable(Job.schema),
  status: Type.String(),
};

interface DeploymentRelations {
  readonly users: ReadonlyMap<number, UserBasicRow>;
  readonly jobs: ReadonlyMap<number, ShapeOf<typeof Job>>;
}

/** Loads the users and jobs of deployments. */
export async function loadDeploymentRelations(
  rows: readonly DeploymentRow[],
  context: SerializationContext,
): Promise<DeploymentRelations> {
  const ids = rows.map(({ job_id }) => job_id).filter((id) => id !== null);
  const jobs = ids.length === 0 ? [] : await Job.serializeAll(await findJobs(context.db, ids), context);
  const users = await loadUsersById(
    context.db,
    rows.map(({ user_id }) => user_id),
  );
  return { users, jobs: new Map(jobs.map((job) => [job.id, job])) };
}

/** Serializes the fields of all variants. */
export function serializeDeploymentFields(
  row: DeploymentRow,
  context: SerializationContext,
  { users, jobs }: DeploymentRelations,
) {
  const user = users.get(row.user_id ?? 0);
  return {
    id: row.id,
    iid: row.iid,
    ref: row.ref,
    sha: row.sha,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user: user ? UserBasic.serialize(user, context) : null,
    deployable: jobs.get(row.job_id ?? 0) ?? null,
    status: row.status,
  };
}

/** A deployment inside its environment. */
export const LastDeployment = entity('LastDeployment', deploymentFields).from(
  loadDeploymentRelations,
  serializeDeploymentFields,
);
