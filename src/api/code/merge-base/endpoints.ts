import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { commaArray } from '#http/parameters/types.ts';
import { Commit } from '../commits/index.ts';
import { findMergeBase } from './get.ts';

export const readMergeBase = endpoint({
  get: '/projects/:id/repository/merge_base',
  summary: 'The best common ancestor of branches, tags or commits',
  access: inPublicProject('read_code'),
  params: { refs: required(commaArray(refName)) },
  errors: {
    tooFew: [400, 'Provide at least 2 refs'],
    oneUnknown: [400, 'Could not find ref: {names}'],
    someUnknown: [400, 'Could not find refs: {names}'],
    none: [404, '404 Merge Base Not Found'],
  },
  response: ok(Commit),
  read: (_db, { project, params }, git) => findMergeBase(git, project, params.refs),
});
