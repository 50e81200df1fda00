import { access } from 'node:fs/promises';
import { getRepositoryAt } from '#git/git.ts';
import { type World, world } from '#test/support/world.ts';

/** Creates a world with two storages, `default` and `other`; new repositories are in `default`. */
export async function createWorldWithStorages() {
  const storages = JSON.stringify({ default: { path: 'one' }, other: { path: 'two' } });
  const testWorld = await world({ env: { HEARTH_STORAGES: storages } });
  return { ...testWorld, ...createHelpers(testWorld) };
}

function createHelpers({ server, runJobs, clock }: World) {
  const { database, git } = server.services;
  return {
    /** Returns the row and the directory of a project's repository. */
    async getRepositoryRow(projectId: number) {
      const row = await database.reader
        .selectFrom('repositories')
        .select(['project_id as id', 'storage', 'disk_path', 'default_branch', 'read_only', 'move_id'])
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      return { ...row, directory: getRepositoryAt(git, row.storage, row.disk_path).directory };
    },
    /** Runs all queued moves, including their delayed cleanup. */
    async moveAll() {
      await runJobs();
      // Seconds; longer than the sources are retained.
      clock.advance(4);
      await runJobs();
    },
  };
}

export const pathExists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
