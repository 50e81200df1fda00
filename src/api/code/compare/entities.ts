import { Type } from 'typebox';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { buildProjectUrl } from '#repositories/repository.ts';
import { mapCooperatively } from '#runtime/yielding.ts';
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
}).from(
  ([comparison]: readonly Comparison[], context) => serializeCommits(comparison!, context),
  ({ project, base, head, straight, same, truncated, diff }: Comparison, context, commits) => ({
    commit: commits.at(-1) ?? null,
    commits,
    diffs: diff.files.map((file) => Diff.serialize(file, context)),
    compare_timeout: truncated,
    compare_same_ref: same,
    web_url: `${buildProjectUrl({ baseUrl: context.url }, project)}/-/compare/${base}${straight ? '..' : '...'}${head}`,
  }),
);

/** Serializes the commits and yields to the event loop: a comparison has up to 10,000. */
function serializeCommits({ commits, project }: Comparison, context: SerializationContext) {
  return mapCooperatively(commits, (commit) => Commit.serialize({ commit, project }, context));
}
