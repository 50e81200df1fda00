import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional, type Rule } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { pathText, refName } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { TreeEntry } from './entities.ts';
import { treePage } from './list.ts';

/** Without pages only whole trees are listed. */
const wholeOnlyRecursive: Rule = ({ pagination, recursive = null }, problems) => {
  if (pagination !== 'none' || boolean.read(recursive, 'recursive', new Problems()) === true) return;
  problems.add('pagination cannot be "none" unless "recursive" is true');
};

export const listTree = endpoint({
  get: '/projects/:id/repository/tree',
  summary: 'List the files and folders of a repository',
  access: inPublicProject('read_code'),
  params: {
    ref: optional(refName),
    path: optional(pathText),
    recursive: optional(boolean, false),
    pagination: optional(oneOf('legacy', 'keyset', 'none')),
    page_token: optional(pathText),
  },
  rules: [wholeOnlyRecursive],
  errors: {
    refUnknown: [404, '404 Tree Not Found'],
    pathUnknown: [404, '404 invalid revision or path Not Found'],
    tokenInvalid: [400, { error: 'page_token is invalid' }],
  },
  response: page(TreeEntry),
  read: (_db, { project, params, page }, git) => treePage(git, repositoryOf(git, project), params, page),
});
