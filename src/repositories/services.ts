import type { BlobStore } from '#blobs/store.ts';
import type { Database } from '#database/database.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';

/** Services for moving refs. */
export interface RefServices {
  readonly database: Database;
  readonly git: Git;
  readonly runUnitOfWork: RunUnitOfWork;
}

/** Services for commits, whose content may be large or belong to LFS. */
export interface ContentServices extends RefServices {
  readonly blobs: BlobStore;
}
