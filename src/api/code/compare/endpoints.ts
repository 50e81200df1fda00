import { Type } from 'typebox';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { buildProjectUrl } from '#repositories/repository.ts';
import { fail } from '#runtime/failure.ts';
import { mapCooperatively } from '#runtime/yielding.ts';
import { Commit, Diff } from '../commits/index.ts';
import { type Comparison, compareRevisions } from './compare.ts';

/** A comparison of two revisions (contract/repository.md §4). */
const Compare = entity('Compare', {
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

export const compareRefs = endpoint({
  get: '/projects/:id/repository/compare',
  summary: 'Compare two branches, tags or commits',
  access: inProjectAllowingAnonymous('read_code'),
  params: {
    from: required(refName),
    to: required(refName),
    from_project_id: optional(integer),
    straight: optional(boolean, false),
    unidiff: optional(boolean, false),
  },
  errors: {
    refUnknown: [404, '404 Ref Not Found'],
    otherProject: [400, 'Target project id:{from} is not a fork of project id:{id}'],
  },
  response: ok(Compare),
  read(_db, { project, params }, git) {
    const from = params.from_project_id ?? project.id;
    if (from !== project.id) return fail('otherProject', { from, id: project.id });
    return compareRevisions(git, project, params);
  },
});
