import { makeSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Trigram indexes for names and paths of namespaces and projects. */
export const migration: Migration = {
  name: '0010_search',
  async up(db, dialect) {
    await makeSearchable(db, dialect, 'namespaces', 'name_key');
    await makeSearchable(db, dialect, 'projects', 'name_key');
    await makeSearchable(db, dialect, 'routes', 'full_path_key');
  },
};
