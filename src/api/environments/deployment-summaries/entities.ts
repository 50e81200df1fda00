import { Type } from 'typebox';
import { UserBasic, type UserBasicRow, usersById } from '#api/identity/users/index.ts';
import { Job } from '#api/pipelines/jobs/index.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { findJobs } from '#domain/jobs.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

/** What all forms of a deployment have (contract/environments.md "Deployment object"). */
export const deploymentFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  ref: Type.String(),
  sha: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
  /** Null once the account is gone. */
  user: nullable(UserBasic.schema),
  /** The job that makes it; null: the API has reported it, or the job is gone. */
  deployable: nullable(Job.schema),
  status: Type.String(),
};

interface BesideDeployments {
  readonly users: ReadonlyMap<number, UserBasicRow>;
  readonly jobs: ReadonlyMap<number, ShapeOf<typeof Job>>;
}

/** What deployments show besides their rows: each for all of them at once. */
export async function besideDeployments(
  rows: readonly DeploymentRow[],
  to: SerializationContext,
): Promise<BesideDeployments> {
  const ids = rows.map(({ job_id }) => job_id).filter((id) => id !== null);
  const jobs = ids.length === 0 ? [] : await Job.serializeAll(await findJobs(to.db, ids), to);
  const users = await usersById(
    to.db,
    rows.map(({ user_id }) => user_id),
  );
  return { users, jobs: new Map(jobs.map((job) => [job.id, job])) };
}

/** The fields that all forms have. */
export function deploymentShape(row: DeploymentRow, to: SerializationContext, { users, jobs }: BesideDeployments) {
  const user = users.get(row.user_id ?? 0);
  return {
    id: row.id,
    iid: row.iid,
    ref: row.ref,
    sha: row.sha,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user: user ? UserBasic.serialize(user, to) : null,
    deployable: jobs.get(row.job_id ?? 0) ?? null,
    status: row.status,
  };
}

/** As its environment shows it. */
export const LastDeployment = entity('LastDeployment', deploymentFields).from(besideDeployments, deploymentShape);
