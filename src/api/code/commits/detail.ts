import { type Static, Type } from 'typebox';
import { type DiffStats, diffStats } from '../../../git/diff.ts';
import type { Git } from '../../../git/git.ts';
import { type Commit as GitCommit, readCommit } from '../../../git/objects.ts';
import { nullable, shape } from '../../../http/endpoint/answers.ts';
import { type Placed, projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { type CommitContext, commitEntity, commitFields } from './entities.ts';

export const CommitStats = shape('CommitStats', {
  additions: Type.Integer(),
  deletions: Type.Integer(),
  total: Type.Integer(),
});

/** A commit alone (contract/repository.md §4): `stats` is left out by those who ask with `stats=false`. */
export const CommitDetail = shape('CommitDetail', {
  ...commitFields,
  stats: Type.Optional(CommitStats),
  status: nullable(Type.String()),
  project_id: Type.Integer(),
  last_pipeline: Type.Null(),
});

export interface DetailContext extends CommitContext {
  readonly projectId: number;
  /** By commit id; null: nobody asked for them. */
  readonly stats: ReadonlyMap<string, DiffStats> | null;
}

export function commitDetailEntity(commit: GitCommit, context: DetailContext): Static<typeof CommitDetail> {
  const stats = context.stats?.get(commit.id);
  return {
    ...commitEntity(commit, context),
    ...(stats === undefined ? {} : { stats: { ...stats } }),
    status: null,
    project_id: context.projectId,
    last_pipeline: null,
  };
}

export interface Showing {
  readonly git: Git;
  readonly project: Placed & { readonly id: number; readonly full_path: string };
  readonly request: { readonly baseUrl: string };
}

/** One commit as the API shows it alone: a commit that was read, or the id of one that is known to be there. */
export async function showCommit(
  { git, project, request }: Showing,
  commit: GitCommit | string,
  options: { readonly stats: boolean },
): Promise<Static<typeof CommitDetail>> {
  const repository = repositoryOf(git, project);
  const found = typeof commit === 'string' ? await readCommit(git, repository, commit) : commit;
  if (found === null) throw new Error(`There is no commit ${String(commit)}`);
  const stats = options.stats ? await diffStats(git, repository, [found.id]) : null;
  return commitDetailEntity(found, { projectUrl: projectUrl(request, project), projectId: project.id, stats });
}
