import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional, type ParameterRule } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { pathText, refName } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { TreeEntry } from './entities.ts';
import { loadTreePage } from './list.ts';

/** Rejects `pagination=none` unless the list is recursive. */
const requireRecursiveForWholeTree: ParameterRule = ({ pagination, recursive = null }, problems) => {
  if (pagination !== 'none' || boolean.read(recursive, 'recursive', new Problems()) === true) return;
  problems.add('pagination cannot be "none" unless "recursive" is true');
};

export const listTree = endpoint({
  get: '/projects/:id/repository/tree',
  summary: 'List the files and folders of a repository',
  access: inProjectAllowingAnonymous('read_code'),
  params: {
    ref: optional(refName),
    path: optional(pathText),
    recursive: optional(boolean, false),
    pagination: optional(oneOf('legacy', 'keyset', 'none')),
    page_token: optional(pathText),
  },
  rules: [requireRecursiveForWholeTree],
  errors: {
    refUnknown: [404, '404 Tree Not Found'],
    pathUnknown: [404, '404 invalid revision or path Not Found'],
    tokenInvalid: [400, { error: 'page_token is invalid' }],
    tokenAmbiguous: [400, { error: 'page_token is ambiguous: follow the header Link' }],
  },
  response: page(TreeEntry),
  read: (_db, { project, params, page }, git) => loadTreePage(git, getRepository(git, project), params, page),
});
