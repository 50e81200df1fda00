import { createHash } from 'node:crypto';
import { BLOB_REFERENCES, cleanUpBlobs, countStrayBlobs } from '#blobs/cleanup.ts';
import { openBlob } from '#blobs/store.ts';
import { openSnapshot, quoteIdentifier } from '#database/copy.ts';
import type { Columns } from '#database/database.ts';
import { type Check, type CheckContext, describeError, type Finding } from './finding.ts';
import { describeLoss } from './lost-directories.ts';

/** Number of rows that one query loads. */
const BATCH_SIZE = 200;

/** Compares the files of blobs with their digests, and finds files without a row. */
export const blobsCheck: Check = {
  name: 'blobs',
  async *run(context) {
    const { database, progress } = context;
    const lossText = await describeLostBlobs(context);
    if (lossText !== null) return yield { text: lossText };
    let checkedCount = 0;
    for (let afterDigest = ''; ; ) {
      // index: blobs_pkey
      const rows = await database.reader
        .selectFrom('blobs')
        .select(['sha256', 'size'])
        .where('sha256', '>', afterDigest)
        .orderBy('sha256')
        .limit(BATCH_SIZE)
        .execute();
      for (const row of rows) {
        try {
          yield* checkBlob(context, row);
        } catch (error) {
          yield { text: `The file ${JSON.stringify(row.sha256)} cannot be examined: ${describeError(error)}` };
        }
        checkedCount += 1;
        progress.update(`Blobs: ${checkedCount}`);
      }
      if (rows.length < BATCH_SIZE) break;
      afterDigest = rows.at(-1)!.sha256;
    }
    yield* checkStrayBlobs(context);
  },
};

/** Describes the loss of the whole directory of files; null if it has files, or if no row needs one. */
async function describeLostBlobs({ database, blobs: { directory } }: CheckContext): Promise<string | null> {
  const loss = await describeLoss(directory, /^[0-9a-f]{2}$/);
  if (loss === null) return null;
  const { count } = await database.reader
    .selectFrom('blobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) === 0 ? null : `The directory ${directory} ${loss}, with the files of ${count} rows`;
}

type BlobRow = Columns<'blobs', 'sha256' | 'size'>;

/** Compares the digest and the size of a file with its row. Only a wrong size can be repaired. */
async function* checkBlob(context: CheckContext, { sha256, size }: BlobRow): AsyncGenerator<Finding> {
  const { database } = context;
  const storedFile = await digestBlob(context, sha256);
  if (storedFile?.sha256 === sha256 && storedFile.size === size) return;
  const row = database.reader.selectFrom('blobs').select('sha256').where('sha256', '=', sha256).executeTakeFirst();
  // The blob was deleted during the check.
  if ((await row) === undefined) return;
  if (storedFile?.sha256 !== sha256) {
    const owners = (await listOwners(context, sha256)).join(', ') || 'no row';
    yield { text: `The file ${sha256} of ${owners} is ${storedFile === null ? 'missing' : 'damaged'}` };
    return;
  }
  yield {
    text: `The file ${sha256} has ${storedFile.size} bytes, but its row has the size ${size}`,
    repair: {
      text: 'store the size of the file in the row',
      async run() {
        await database.transaction((tx) =>
          tx.updateTable('blobs').set({ size: storedFile.size }).where('sha256', '=', sha256).execute(),
        );
        return true;
      },
    },
  };
}

/** Returns the actual digest and size of a file; null if it is missing. */
async function digestBlob({ blobs: store }: CheckContext, sha256: string): Promise<BlobRow | null> {
  const openedBlob = await openBlob(store, sha256);
  if (openedBlob === null) return null;
  const hash = createHash('sha256');
  for await (const bytes of openedBlob.stream) hash.update(bytes as Buffer);
  return { sha256: hash.digest('hex'), size: openedBlob.size };
}

/** Returns the first rows of each table that refer to the file, each as text such as `job_artifacts id 5`. */
async function listOwners({ database }: CheckContext, sha256: string): Promise<string[]> {
  const snapshot = await openSnapshot(database);
  try {
    const owners: string[] = [];
    for (const reference of BLOB_REFERENCES) {
      const [table, column] = reference.split('.') as [string, string];
      const key = snapshot.tables.find(({ name }) => name === table)?.key ?? [];
      const rows = await snapshot.query(
        `select ${key.map(quoteIdentifier).join(', ')} from ${quoteIdentifier(table)} where ${quoteIdentifier(column)} = '${sha256}' limit 3`,
      );
      owners.push(
        ...rows.map((row) => `${table} ${key.map((keyColumn) => `${keyColumn} ${row[keyColumn]}`).join(' ')}`),
      );
    }
    return owners;
  } finally {
    await snapshot.close();
  }
}

/** Finds files without a row, which a server deletes daily. The repair succeeds even if none is left. */
async function* checkStrayBlobs({ blobs: store, database }: CheckContext): AsyncGenerator<Finding> {
  const count = await countStrayBlobs(store, database.reader);
  if (count === 0) return;
  yield {
    text: `${count} files of blobs belong to no row`,
    repair: { text: 'delete them', run: async () => (await cleanUpBlobs(store, database)).strays >= 0 },
  };
}
