import { defineJob } from '../../../background/job.ts';
import type { Reader } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import { headTarget, setHead } from '../../../git/refs.ts';
import { repositoryExists } from '../../../git/storage.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { repositoryOf } from '../../../repositories/repository.ts';

/** The row says which branch is the default one; HEAD of the bare repository follows it. */

/** Makes HEAD name what the row names. Does nothing where it does already. */
export async function pointHead(db: Reader, git: Git, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) return;
  const repository = repositoryOf(git, row);
  if (!(await repositoryExists(repository)) || (await headTarget(repository)) === row.default_branch) return;
  await setHead(git, repository, row.default_branch);
}

/** Enqueued with the change of the row, so that HEAD follows even when this process does not live to see to it. */
export const pointHeadJob = defineJob({
  kind: 'point_head',
  handle: ({ database, git }: Rooms, { projectId }: { readonly projectId: number }) =>
    pointHead(database.reader, git, projectId),
});
