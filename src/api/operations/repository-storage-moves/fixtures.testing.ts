import { access } from 'node:fs/promises';
import { repositoryAt } from '#git/git.ts';
import { type World, world } from '#test/support/world.ts';

/** A world with two storages, `one` and `other`; new repositories come into `default`. */
export async function worldOfStorages() {
  const storages = JSON.stringify({ default: { path: 'one' }, other: { path: 'two' } });
  const here = await world({ env: { HEARTH_STORAGES: storages } });
  return { ...here, ...deeds(here) };
}

function deeds({ server, work, clock }: World) {
  const { database, git } = server.services;
  return {
    /** Where a project's repository is. */
    async placeOf(projectId: number) {
      const row = await database.reader
        .selectFrom('repositories')
        .select(['project_id as id', 'storage', 'disk_path', 'default_branch', 'read_only', 'move_id'])
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      return { ...row, directory: repositoryAt(git, row.storage, row.disk_path).directory };
    },
    /** All that the queue has to do for moves, to their end. */
    async moveAll() {
      await work();
      clock.advance(4);
      await work();
    },
  };
}

export const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
