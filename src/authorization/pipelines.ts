import { type Selectable, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { expandJsonTexts } from '#database/dialect.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from './abilities.ts';
import { mayMerge, mayPush } from './protected-branches/branch-rules.ts';
import { listProtectionRules } from './protected-branches/protected-branches.ts';
import { listTagRules, mayCreateTag } from './protected-tags.ts';

// Who may read and run pipelines (contract/runners.md §4). The permission to read is the same for all pipelines of a
// project (`read_pipeline`). Users who may push or merge to a ref may run its pipelines.

/** A pipeline row for entities and permission checks. */
export type PipelineRow = Omit<
  Selectable<Schema['pipelines']>,
  'origin' | 'failure_reason' | 'outcome' | 'trigger_id' | 'schedule_id'
> & {
  /** Full path of its project. */
  readonly full_path: string;
};

const pipelineColumns = [
  'pipelines.id',
  'pipelines.project_id',
  'pipelines.iid',
  'pipelines.ref',
  'pipelines.tag',
  'pipelines.sha',
  'pipelines.before_sha',
  'pipelines.source',
  'pipelines.status',
  'pipelines.protected',
  'pipelines.user_id',
  'pipelines.yaml_errors',
  'pipelines.name',
  'pipelines.started_at',
  'pipelines.finished_at',
  'pipelines.created_at',
  'pipelines.updated_at',
  'routes.full_path',
] as const;

/** Selects pipelines with the paths of their projects. index: pipelines primary key, routes_by_project */
export function selectPipelines(db: Reader) {
  return db
    .selectFrom('pipelines')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .select(pipelineColumns);
}

const findPipelineRow = prepare((db, value: Params<{ project: number; id: number }>) =>
  selectPipelines(db).where('pipelines.id', '=', value('id')).where('pipelines.project_id', '=', value('project')),
);

const selectPipelinesById = prepareForIds<PipelineRow>((db, ids) =>
  selectPipelines(db).where('pipelines.id', 'in', ids),
);

/** Returns the pipeline with this id in the project, or null. Does not check permissions. */
export async function findPipeline(db: Reader, projectId: number, id: number): Promise<PipelineRow | null> {
  return (await findPipelineRow.first(db, { project: projectId, id })) ?? null;
}

/** Returns the existing pipelines in the order of `ids`, with one query. */
export async function findPipelines(db: Reader, ids: readonly number[]): Promise<PipelineRow[]> {
  const distinctIds = [...new Set(ids)];
  return sortByIds(distinctIds, await selectPipelinesById(db, distinctIds));
}

// index: pipelines_by_sha
const loadNewestByCommit = prepare((db, value: Params<{ project: number; commits: string }>) => {
  const newest = db
    .selectFrom('pipelines as newest')
    .select('newest.id')
    .where('newest.project_id', '=', value('project'))
    .where('newest.sha', '=', sql.ref<string>('commits.value'))
    .orderBy('newest.id', 'desc')
    .limit(1);
  return selectPipelines(db).where('pipelines.id', 'in', (eb) =>
    eb.selectFrom(expandJsonTexts(db, value('commits')).as('commits')).select(newest.as('id')),
  );
});

/** Returns the newest pipeline of each of these commits, on any ref, keyed by commit id. */
export async function loadNewestPipelines(
  db: Reader,
  projectId: number,
  commitIds: readonly string[],
): Promise<ReadonlyMap<string, PipelineRow>> {
  const rows = await loadNewestByCommit(db, { project: projectId, commits: JSON.stringify(commitIds) });
  return new Map(rows.map((row) => [row.sha, row]));
}

// index: merge_requests primary key, pipelines_by_sha_ref, pipelines primary key, routes_by_project
const loadNewestByHead = prepareForIds((db, mergeRequestIds) =>
  selectPipelines(db)
    .innerJoin('merge_requests', (join) =>
      join.on('pipelines.id', '=', (eb) =>
        eb
          .selectFrom('pipelines as newest')
          .select('newest.id')
          .whereRef('newest.project_id', '=', 'merge_requests.project_id')
          .whereRef('newest.sha', '=', 'merge_requests.head_sha')
          .whereRef('newest.ref', '=', 'merge_requests.source_branch')
          .where('newest.tag', '=', false)
          .orderBy('newest.id', 'desc')
          .limit(1),
      ),
    )
    .select('merge_requests.id as merge_request_id')
    .where('merge_requests.id', 'in', mergeRequestIds),
);

/** Returns the newest pipeline of each merge request's head on its source branch, keyed by merge request id. */
export async function loadHeadPipelines(
  db: Reader,
  mergeRequestIds: readonly number[],
): Promise<ReadonlyMap<number, PipelineRow>> {
  const rows = await loadNewestByHead(db, mergeRequestIds);
  return new Map(rows.map(({ merge_request_id, ...row }) => [merge_request_id, row]));
}

/** Returns whether the caller, who can see the project, may read its pipelines. */
export function mayReadPipelines(caller: Caller, project: Project): boolean {
  return mayInProject(caller, 'read_pipeline', project);
}

type PipelineRef = Columns<'pipelines', 'ref' | 'tag'>;

/** Returns whether the caller may start, retry and cancel pipelines of this ref. A protected tag requires the permission to create it. */
export function mayRunPipelineOn(db: Reader, caller: Caller, project: Project, ref: PipelineRef): Promise<boolean> {
  return mayActOn(db, caller, project, ref, mayMerge);
}

/** Returns whether the caller may act on single jobs of this ref: users who may push to it. */
export function mayUpdateJobsOn(db: Reader, caller: Caller, project: Project, ref: PipelineRef): Promise<boolean> {
  return mayActOn(db, caller, project, ref, mayPush);
}

async function mayActOn(
  db: Reader,
  caller: Caller,
  project: Project,
  { ref, tag }: PipelineRef,
  mayOnBranch: typeof mayMerge,
): Promise<boolean> {
  if (!mayInProject(caller, 'update_pipeline', project)) return false;
  if (tag) return mayCreateTag(caller, project, await listTagRules(db, project.id), ref);
  return mayOnBranch(caller, project, await listProtectionRules(db, project.id), ref);
}
