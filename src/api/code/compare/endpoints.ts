import { Type } from 'typebox';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { entity, nullable, shape } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import { isRefused, refused } from '../../../refused.ts';
import { projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { commitSchema as Commit, commitEntity, diffSchema as Diff, diffEntities } from '../commits/index.ts';
import { type Comparison, compareRevisions } from './compare.ts';

const Compare = shape('Compare', {
  commit: nullable(Commit),
  commits: Type.Array(Commit),
  diffs: Type.Array(Diff),
  compare_timeout: Type.Boolean(),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
});

interface Showing {
  readonly projectUrl: string;
  readonly straight: boolean;
  readonly unidiff: boolean;
}

function compareEntity(comparison: Comparison, { projectUrl, straight, unidiff }: Showing) {
  const { base, head, same, diff, cut } = comparison;
  const commits = comparison.commits.map((commit) => commitEntity(commit, { projectUrl }));
  return {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: diffEntities(diff.files, { unidiff }),
    compare_timeout: cut,
    compare_same_ref: same,
    web_url: `${projectUrl}/-/compare/${base}${straight ? '..' : '...'}${head}`,
  };
}

export const compareRefs = endpoint({
  get: '/projects/:id/repository/compare',
  summary: 'Compare two branches, tags or commits',
  access: inPublicProject('read_code'),
  params: {
    from: required(text),
    to: required(text),
    from_project_id: optional(integer),
    straight: optional(boolean, false),
    unidiff: optional(boolean, false),
  },
  refuses: {
    refUnknown: [404, '404 Ref Not Found'],
    otherProject: [400, 'Target project id:{from} is not a fork of project id:{id}'],
  },
  answer: entity(Compare),
  async handle({ git, project, params, request }) {
    const from = params.from_project_id ?? project.id;
    if (from !== project.id) return refused('otherProject', { from, id: project.id });
    const found = await compareRevisions(git, repositoryOf(git, project), params);
    return isRefused(found) ? found : compareEntity(found, { ...params, projectUrl: projectUrl(request, project) });
  },
});
