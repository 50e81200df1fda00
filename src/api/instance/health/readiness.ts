import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Reader } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { checkStorage } from '#git/storage/storage.ts';
import { rawEntity, type ShapeOf } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';

export const Alive = rawEntity(objectSchema('Alive', { status: Type.Literal('ok') }));

const status = Type.Union([Type.Literal('ok'), Type.Literal('failed')]);
const CheckSchema = Type.Object({
  status,
  message: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Object({ shard: Type.String() })),
});

export const Readiness = rawEntity(
  objectSchema('Readiness', {
    status,
    master_check: Type.Array(CheckSchema),
    db_check: Type.Optional(Type.Array(CheckSchema)),
    gitaly_check: Type.Optional(Type.Array(CheckSchema)),
  }),
);

type ReadinessResult = ShapeOf<typeof Readiness>;
type Check = ReadinessResult['master_check'][number];

const OK: Check = { status: 'ok' };
const failedCheck = (message: string): Check => ({ status: 'failed', message });

/**
 * Returns whether this process is ready to serve (contract/conventions.md §10 "Health"). It is not ready while it starts or
 * stops, if its database is unavailable, or if its data directory cannot be written. With `all`, at least one storage must be available too.
 */
export async function checkReadiness(
  { config, database, git, isServing }: Pick<Services, 'config' | 'database' | 'git' | 'isServing'>,
  all: boolean,
): Promise<ReadinessResult> {
  const [databaseCheck, canWrite] = await Promise.all([checkDatabase(database.reader), isWritable(config.dataDir)]);
  const canServe = isServing() && databaseCheck === OK && canWrite;
  const checks = {
    master_check: [canServe ? OK : failedCheck('unexpected Master check result: false')],
    ...(all ? { db_check: [databaseCheck], gitaly_check: await checkStorages(git) } : {}),
  };
  const isReady = Object.values(checks).every((checksOfKind) => checksOfKind.some(({ status }) => status === 'ok'));
  return { status: isReady ? 'ok' : 'failed', ...checks };
}

async function checkDatabase(db: Reader): Promise<Check> {
  try {
    await sql`select 1`.execute(db);
    return OK;
  } catch {
    return failedCheck('unexpected Db check result: false');
  }
}

/** Returns whether the directory takes a file of 4 KiB: not if it is read-only, or if its file system is full. */
async function isWritable(directory: string): Promise<boolean> {
  const path = join(directory, `.readiness-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(4096, 1));
    return true;
  } catch {
    return false;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}

/** Returns one check per storage, ordered by name. */
function checkStorages(git: Git): Promise<Check[]> {
  const names = Object.keys(git.storages).sort();
  return Promise.all(
    names.map(async (name) => {
      const storageError = await checkStorage(git, name);
      return { ...(storageError === null ? OK : failedCheck(storageError)), labels: { shard: name } };
    }),
  );
}
