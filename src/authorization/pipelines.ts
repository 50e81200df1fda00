import { type Selectable, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { eachText } from '#database/dialect.ts';
import { inOrderOf, type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { PipelinesTables } from '#database/tables/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from './abilities.ts';
import { mayMerge, mayPush } from './protected-branches/branch-rules.ts';
import { protectionRules } from './protected-branches/protected-branches.ts';

/**
 * Who sees pipelines and who acts on them (contract/runners.md §4): all of a project are seen by the same people
 * (`read_pipeline`), and changed by those who may push or merge to their refs.
 */

/** A pipeline as it is shown, and decided about. */
export type PipelineRow = Omit<
  Selectable<PipelinesTables['pipelines']>,
  'origin' | 'failure_reason' | 'outcome' | 'trigger_id' | 'schedule_id'
> & {
  /** Of its project. */
  readonly full_path: string;
};

export const pipelineColumns = [
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

/** Pipelines with the paths of their projects. index: pipelines primary key, routes_by_project */
export function selectPipelines(db: Reader) {
  return db
    .selectFrom('pipelines')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .select(pipelineColumns);
}

const pipelineById = prepare((db, value: Params<{ project: number; id: number }>) =>
  selectPipelines(db).where('pipelines.id', '=', value('id')).where('pipelines.project_id', '=', value('project')),
);

const pipelinesById = prepareForIds<PipelineRow>((db, ids) => selectPipelines(db).where('pipelines.id', 'in', ids));

/** The pipeline with this id in the project; whether the caller may read it is not asked here. */
export async function findPipeline(db: Reader, projectId: number, id: number): Promise<PipelineRow | null> {
  return (await pipelineById.first(db, { project: projectId, id })) ?? null;
}

/** Several pipelines in the order of their ids, in one statement; missing ones are left out. */
export async function findPipelines(db: Reader, ids: readonly number[]): Promise<PipelineRow[]> {
  const distinct = [...new Set(ids)];
  return inOrderOf(distinct, await pipelinesById(db, distinct));
}

// index: pipelines_by_sha
const newestByCommit = prepare((db, value: Params<{ project: number; commits: string }>) => {
  const newest = db
    .selectFrom('pipelines as newest')
    .select('newest.id')
    .where('newest.project_id', '=', value('project'))
    .where('newest.sha', '=', sql.ref<string>('commits.value'))
    .orderBy('newest.id', 'desc')
    .limit(1);
  return selectPipelines(db).where('pipelines.id', 'in', (eb) =>
    eb.selectFrom(eachText(db, value('commits')).as('commits')).select(newest.as('id')),
  );
});

/** Of each of these commits of a project its newest pipeline, on whatever ref, by the commit's id. */
export async function newestOfCommits(
  db: Reader,
  projectId: number,
  commitIds: readonly string[],
): Promise<ReadonlyMap<string, PipelineRow>> {
  const rows = await newestByCommit(db, { project: projectId, commits: JSON.stringify(commitIds) });
  return new Map(rows.map((row) => [row.sha, row]));
}

// index: merge_requests primary key, pipelines_by_sha_ref, pipelines primary key, routes_by_project
const newestByHead = prepareForIds((db, mergeRequestIds) =>
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

/** Of each of these merge requests the newest pipeline of its source branch's head, by the merge request's id. */
export async function headPipelines(
  db: Reader,
  mergeRequestIds: readonly number[],
): Promise<ReadonlyMap<number, PipelineRow>> {
  const rows = await newestByHead(db, mergeRequestIds);
  return new Map(rows.map(({ merge_request_id, ...row }) => [merge_request_id, row]));
}

/** May the caller, who sees the project, read its pipelines? */
export function mayReadPipelines(caller: Caller, project: Project): boolean {
  return mayInProject(caller, 'read_pipeline', project);
}

/** What of a ref decides who runs something on it. */
interface Ref {
  readonly ref: string;
  readonly tag: boolean;
}

/** May the caller, a Developer, start pipelines of this ref, retry and cancel them? Tags are nobody's. */
export async function mayRunOn(db: Reader, caller: Caller, project: Project, { ref, tag }: Ref): Promise<boolean> {
  if (!mayInProject(caller, 'update_pipeline', project)) return false;
  return tag || mayMerge(caller, project, await protectionRules(db, project.id), ref);
}

/** The same of single jobs of it: those who may push. */
export async function mayChangeJobsOf(
  db: Reader,
  caller: Caller,
  project: Project,
  { ref, tag }: Ref,
): Promise<boolean> {
  if (!mayInProject(caller, 'update_pipeline', project)) return false;
  return tag || mayPush(caller, project, await protectionRules(db, project.id), ref);
}
