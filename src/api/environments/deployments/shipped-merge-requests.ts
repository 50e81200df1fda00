import { type Expression, type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong, isAmongTexts } from '#database/dialect.ts';
import { type DeploymentRow, deploymentColumns } from '#domain/deployments.ts';

/** The merge requests that deployments ship, as rows. */

/** What ran in the environment before this deployment had succeeded there. index: deployments_finished */
export async function successBefore(
  db: Reader,
  { id, environment_id, finished_at }: DeploymentRow,
): Promise<DeploymentRow | null> {
  const row = await db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('environment_id', '=', environment_id)
    .where('status', '=', 'success')
    .where(sql<boolean>`(finished_at, id) < (${finished_at}, ${id})`)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** All that were merged into this branch. index: merge_requests_by_target_branch */
export async function mergedInto(db: Reader, projectId: number, branch: string): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('target_branch', '=', branch)
    .where('project_id', '=', projectId)
    .where('state', '=', 'merged')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** So many commits one statement asks about. */
const COMMITS = 1000;

/** Those of which a commit is among these: that of their merge, the squashed one, or their head. */
export async function mergedAs(db: Reader, projectId: number, commits: readonly string[]): Promise<number[]> {
  const found = new Set<number>();
  for (let from = 0; from < commits.length; from += COMMITS) {
    for (const { id } of await mergedAsSome(db, projectId, commits.slice(from, from + COMMITS)).execute())
      found.add(id);
  }
  return [...found].sort((one, other) => one - other);
}

// Only what is merged has the first two. index: merge_requests_by_merge_commit, merge_requests_by_squash_commit, merge_requests_merged_by_head
export function mergedAsSome(db: Reader, projectId: number, commits: readonly string[]) {
  const by = (column: 'merge_commit_sha' | 'squash_commit_sha' | 'head_sha') =>
    db
      .selectFrom('merge_requests')
      .select('merge_requests.id')
      .where('merge_requests.project_id', '=', projectId)
      .where((eb) => isAmongTexts(db, eb.ref(`merge_requests.${column}`) as Expression<string>, commits));
  return by('merge_commit_sha')
    .union(by('squash_commit_sha'))
    .union(by('head_sha').where('merge_requests.state', '=', sql.lit('merged')));
}

/** Once to an environment: what has been shipped there before was shipped then. index: deployment_merge_requests_pkey */
export async function linkShipped(
  tx: Transaction,
  { id, environment_id }: DeploymentRow,
  mergeRequestIds: readonly number[],
): Promise<void> {
  const there = await tx
    .selectFrom('merge_requests')
    .select('id')
    .where(isAmong(tx, sql.ref('id'), mergeRequestIds))
    .execute();
  if (there.length === 0) return;
  await tx
    .insertInto('deployment_merge_requests')
    .values(there.map((row) => ({ deployment_id: id, environment_id, merge_request_id: row.id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Of merge requests: they have been shipped with it. index: deployment_merge_requests_by_deployment */
export function shippedWith({ id }: Pick<DeploymentRow, 'id'>) {
  const ids = sql`select merge_request_id from deployment_merge_requests where deployment_id = ${id}`;
  return { holds: sql<SqlBool>`merge_requests.id in (${ids})`, ids };
}
