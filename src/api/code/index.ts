import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { archive } from './archive/index.ts';
import { blobs } from './blobs/index.ts';
import { branches } from './branches/index.ts';
import { commits } from './commits/index.ts';
import { compare } from './compare/index.ts';
import { contributors } from './contributors/index.ts';
import { gitHttp } from './git-http/index.ts';
import { lfs } from './lfs/index.ts';
import { lfsLocks } from './lfs-locks/index.ts';
import { mergeBase } from './merge-base/index.ts';
import { protectedBranches } from './protected-branches/index.ts';
import { protectedTags } from './protected-tags/index.ts';
import { repositoryFiles } from './repository-files/index.ts';
import { snippets } from './snippets/index.ts';
import { tags } from './tags/index.ts';
import { tree } from './tree/index.ts';

/** The resource modules of repositories, their protection, and snippets. */
export const code: ResourceModules = {
  'protected-branches': protectedBranches,
  'protected-tags': protectedTags,
  'repository-files': repositoryFiles,
  commits,
  branches,
  tags,
  compare,
  'merge-base': mergeBase,
  tree,
  blobs,
  archive,
  contributors,
  'git-http': gitHttp,
  lfs,
  'lfs-locks': lfsLocks,
  snippets,
};
