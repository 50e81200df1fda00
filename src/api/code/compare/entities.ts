import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { buildProjectUrl } from '#repositories/repository.ts';
import { Commit, Diff } from '../commits/index.ts';
import type { Comparison } from './compare.ts';

/** A comparison of two revisions (contract/repository.md §4). */
export const Compare = entity('Compare', {
  commit: nullable(Commit.schema),
  commits: Type.Array(Commit.schema),
  diffs: Type.Array(Diff.schema),
  compare_timeout: Type.Boolean(),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
}).from(({ project, base, head, straight, same, truncated, diff, ...comparison }: Comparison, context) => {
  const commits = comparison.commits.map((commit) => Commit.serialize({ commit, project }, context));
  return {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: diff.files.map((file) => Diff.serialize(file, context)),
    compare_timeout: truncated,
    compare_same_ref: same,
    web_url: `${buildProjectUrl({ baseUrl: context.url }, project)}/-/compare/${base}${straight ? '..' : '...'}${head}`,
  };
});
