import { Type } from 'typebox';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import type { ParameterRule } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { boolean } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { listTreeParams, loadTreePage, TREE_ERRORS, type TreeRow, toDisplayPath } from './list.ts';

/** A folder, file or submodule of a tree (contract/repository.md §4). */
const TreeEntry = entity('TreeEntry', {
  id: Type.String({ description: 'Id of the git object.' }),
  name: Type.String(),
  type: Type.Enum(['tree', 'blob', 'commit'], { description: '`tree`: folder. `blob`: file. `commit`: submodule.' }),
  path: Type.String(),
  mode: Type.String(),
}).from(({ entry, folder }: TreeRow) => {
  const { id, type, mode } = entry;
  const displayPath = toDisplayPath({ entry, folder });
  return { id, name: displayPath.slice(displayPath.lastIndexOf('/') + 1), type, path: displayPath, mode };
});

/** Rejects `pagination=none` unless the list is recursive. */
const requireRecursiveForWholeTree: ParameterRule = ({ pagination, recursive = null }, problems) => {
  if (pagination !== 'none' || boolean.read(recursive, 'recursive', new Problems()) === true) return;
  problems.add('pagination cannot be "none" unless "recursive" is true');
};

export const listTree = endpoint({
  get: '/projects/:id/repository/tree',
  summary: 'List the files and folders of a repository',
  description:
    'Returns the entries of a folder, folders first, then files, then submodules, each by name. With `recursive`, it ' +
    'returns everything below the folder. Without `ref`, the default branch is listed.',
  access: inProjectAllowingAnonymous('read_code'),
  params: listTreeParams,
  rules: [requireRecursiveForWholeTree],
  errors: {
    ...TREE_ERRORS,
    tokenInvalid: [400, { error: 'page_token is invalid' }],
    tokenAmbiguous: [400, { error: 'page_token is ambiguous: follow the header Link' }],
  },
  response: page(TreeEntry),
  read: (_db, { project, params, page }, git) => loadTreePage(git, getRepository(git, project), params, page),
});
