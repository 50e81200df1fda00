import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import { archive } from './archive/index.ts';
import * as blobs from './blobs/endpoints.ts';
import { branches } from './branches/index.ts';
import { commits } from './commits/index.ts';
import * as compare from './compare/endpoints.ts';
import * as contributors from './contributors/endpoints.ts';
import { gitHttp } from './git-http/index.ts';
import { lfs } from './lfs/index.ts';
import * as lfsLocks from './lfs-locks/endpoints.ts';
import * as mergeBase from './merge-base/endpoints.ts';
import { protectedBranches } from './protected-branches/index.ts';
import { protectedTags } from './protected-tags/index.ts';
import * as raw from './raw/endpoints.ts';
import { repositoryFiles } from './repository-files/index.ts';
import { snippets } from './snippets/index.ts';
import { tags } from './tags/index.ts';
import { tree } from './tree/index.ts';
import * as treeCommits from './tree-commits/endpoints.ts';

/** The resource modules of repositories, their protection, and snippets. */
export const code: ResourceModules = {
  'protected-branches': protectedBranches,
  'protected-tags': protectedTags,
  'repository-files': repositoryFiles,
  commits,
  branches,
  tags,
  compare: resourceModule({ endpoints: compare }),
  'merge-base': resourceModule({ endpoints: mergeBase }),
  tree,
  'tree-commits': resourceModule({ endpoints: treeCommits }),
  blobs: resourceModule({ endpoints: blobs }),
  raw: resourceModule({ endpoints: raw }),
  archive,
  contributors: resourceModule({ endpoints: contributors }),
  'git-http': gitHttp,
  lfs,
  'lfs-locks': resourceModule({ endpoints: lfsLocks }),
  snippets,
};
