import { defineSubscription } from '#events/event-bus.ts';
import { getRepositoryAt } from '#git/git.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { RepositoryLocation } from '#repositories/repository.ts';
import { getArchiveFolder } from './archive.ts';
import { deleteArchives } from './archive-cache.ts';
import * as endpoints from './endpoints.ts';

/** Deletes the cached archives of a deleted project from the data directory of the process that runs the job. */
const deleteProjectArchives = defineJob({
  kind: 'delete_project_archives',
  handle: ({ git, config }: Pick<Services, 'git' | 'config'>, { storage, disk_path }: RepositoryLocation) =>
    deleteArchives(getArchiveFolder(config), getRepositoryAt(git, storage, disk_path)),
});

const onProjectDestroyed = defineSubscription({
  event: 'project-destroyed',
  inTransaction: (uow, { storage, diskPath }) => enqueue(uow, deleteProjectArchives, { storage, disk_path: diskPath }),
});

export const archive = resourceModule({
  endpoints,
  jobs: [deleteProjectArchives],
  subscriptions: [onProjectDestroyed],
});
