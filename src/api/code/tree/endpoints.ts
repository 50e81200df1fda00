import { inPublicProject } from '../../../http/access/project-access.ts';
import { mapPage, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, type Rule } from '../../../http/parameters/declarations.ts';
import { boolean, oneOf, Problems, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import { TreeEntry, treeEntries } from './entities.ts';
import { findTree, keysetPage, offsetPage, wholeTree } from './list.ts';

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
    ref: optional(text),
    path: optional(text),
    recursive: optional(boolean, false),
    pagination: optional(oneOf('legacy', 'keyset', 'none')),
    page_token: optional(text),
  },
  rules: [wholeOnlyRecursive],
  remembered: true,
  refuses: {
    refUnknown: [404, '404 Tree Not Found'],
    pathUnknown: [404, '404 invalid revision or path Not Found'],
    tokenInvalid: [400, { error: 'page_token is invalid' }],
  },
  answer: page(TreeEntry),
  async handle({ git, project, params, page }) {
    const found = await findTree(git, repositoryOf(git, project), params);
    if (isRefused(found)) return found;
    const { list, folder } = found;
    const { pagination, page_token } = params;
    if (pagination === 'none') return mapPage(wholeTree(list), (entries) => treeEntries(entries, folder));
    const cut = pagination === 'keyset' ? keysetPage(list, page_token, page.perPage) : offsetPage(list, page);
    return isRefused(cut) ? cut : mapPage(cut, (entries) => treeEntries(entries, folder));
  },
});
