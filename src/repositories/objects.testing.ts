import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '#test/support/world.ts';

/** Returns the sorted paths in the `objects` directory of the repository of a project or its wiki. */
export async function listObjects(
  { services }: World['server'],
  table: 'repositories' | 'wikis',
  projectId: number,
): Promise<string[]> {
  const { storage, disk_path } = await services.database.reader
    .selectFrom(table)
    .select(['storage', 'disk_path'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const objectsDirectory = join(services.config.storages[storage]!.path, disk_path, 'objects');
  return (await readdir(objectsDirectory, { recursive: true })).sort();
}
