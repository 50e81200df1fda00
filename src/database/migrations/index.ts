import { migration as baseline } from './0001_baseline.ts';
import type { Migration } from './migration.ts';

// To add a migration, create a file `NNNN_<area>.ts` with the next number in this folder. It exports
//
//   export const migration: Migration = {
//     name: '0002_lfs_locks',
//     up: (db) =>
//       runStatements(
//         db,
//         ddl`
//           create table lfs_locks (
//             id id,
//             project_id integer not null references projects (id) on delete cascade,
//             path text not null,
//             created_at timestamp not null
//           );
//           create unique index lfs_locks_by_path on lfs_locks (project_id, path);
//         `,
//       ),
//   };
//
// Import it here, append it to the list, and run `npm run tables`. Migrations only go forward: the schema changes of a released
// migration never change. Create unique rules as indexes, so that `getViolatedUniqueIndex` returns the same name on both
// engines. Create foreign keys with the column, because SQLite cannot add them later.

/** All migrations, in execution order. */
export const migrations: readonly Migration[] = [baseline];
