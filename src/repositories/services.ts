import type { BlobStore } from '#blobs/index.ts';
import type { Database } from '#database/database.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';

/** What moving refs takes: the repository, and the database that is told. */
export interface RefServices {
  readonly database: Database;
  readonly git: Git;
  readonly runUnitOfWork: RunUnitOfWork;
}

/** What a commit takes whose contents may be large, or belong to LFS. */
export interface ContentServices extends RefServices {
  readonly blobs: BlobStore;
}
