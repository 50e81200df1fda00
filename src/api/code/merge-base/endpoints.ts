import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { commaSeparated } from '#http/parameters/types.ts';
import { Commit } from '../commits/index.ts';
import { findMergeBase } from './get.ts';

export const getMergeBase = endpoint({
  get: '/projects/:id/repository/merge_base',
  summary: 'Get the merge base of refs',
  access: inProjectAllowingAnonymous('read_code'),
  params: { refs: required(commaSeparated(refName)) },
  errors: {
    tooFew: [400, 'Provide at least 2 refs'],
    unknownRef: [400, 'Could not find ref: {names}'],
    unknownRefs: [400, 'Could not find refs: {names}'],
    noMergeBase: [404, '404 Merge Base Not Found'],
  },
  response: ok(Commit),
  read: (_db, { project, params }, git) => findMergeBase(git, project, params.refs),
});
