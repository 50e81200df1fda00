import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { compareRevisions } from './compare.ts';
import { Compare } from './entities.ts';

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
