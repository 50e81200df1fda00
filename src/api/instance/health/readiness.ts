import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { storageTrouble } from '#git/storage/storage.ts';
import type { ShapeOf } from '#http/endpoint/entity.ts';
import type { Services } from '#http/services.ts';
import type { Readiness } from './entities.ts';

type Ready = ShapeOf<typeof Readiness>;
type Check = Ready['master_check'][number];

const OK: Check = { status: 'ok' };
const failed = (message: string): Check => ({ status: 'failed', message });

/**
 * Can this process serve (contract/conventions.md §10 "Health")? Not while it starts or stops, nor without its database;
 * with `all`, nor without any storage.
 */
export async function readiness(
  { database, git, isServing }: Pick<Services, 'database' | 'git' | 'isServing'>,
  all: boolean,
): Promise<Ready> {
  const database_check = await databaseCheck(database.reader);
  const canServe = isServing() && database_check === OK;
  const checks = {
    master_check: [canServe ? OK : failed('unexpected Master check result: false')],
    ...(all ? { db_check: [database_check], gitaly_check: await storageChecks(git) } : {}),
  };
  const isReady = Object.values(checks).every((each) => each.some(({ status }) => status === 'ok'));
  return { status: isReady ? 'ok' : 'failed', ...checks };
}

async function databaseCheck(db: Reader): Promise<Check> {
  try {
    await sql`select 1`.execute(db);
    return OK;
  } catch {
    return failed('unexpected Db check result: false');
  }
}

/** One for each storage, in the order of their names. */
function storageChecks(git: Git): Promise<Check[]> {
  const names = Object.keys(git.storages).sort();
  return Promise.all(
    names.map(async (shard) => {
      const trouble = await storageTrouble(git, shard);
      return { ...(trouble === null ? OK : failed(trouble)), labels: { shard } };
    }),
  );
}
