import { createHash } from 'node:crypto';
import { strayBlobs, sweepBlobs } from '#blobs/cleanup.ts';
import { openBlob } from '#blobs/index.ts';
import { REFERENCES } from '#blobs/references.ts';
import { openSnapshot, quoted } from '#database/copy.ts';
import type { Check, Examined, Finding } from './finding.ts';

const BATCH = 200;

/** Files that rows name, by their digests, and those that no row names. */
export const blobs: Check = {
  name: 'blobs',
  async *look(examined) {
    const { database, progress } = examined;
    let seen = 0;
    for (let after = ''; ; ) {
      // index: blobs_pkey
      const rows = await database.reader
        .selectFrom('blobs')
        .select(['sha256', 'size'])
        .where('sha256', '>', after)
        .orderBy('sha256')
        .limit(BATCH)
        .execute();
      for (const row of rows) {
        yield* problemOf(examined, row);
        seen += 1;
        progress.tell(`Blobs: ${seen}`);
      }
      if (rows.length < BATCH) break;
      after = rows.at(-1)!.sha256;
    }
    yield* strays(examined);
  },
};

interface BlobRow {
  readonly sha256: string;
  readonly size: number;
}

async function* problemOf(examined: Examined, { sha256, size }: BlobRow): AsyncGenerator<Finding> {
  const { database } = examined;
  const found = await digestOf(examined, sha256);
  if (found?.sha256 === sha256 && found.size === size) return;
  const row = database.reader.selectFrom('blobs').select('sha256').where('sha256', '=', sha256).executeTakeFirst();
  if ((await row) === undefined) return;
  if (found?.sha256 !== sha256) {
    const whose = (await ownersOf(examined, sha256)).join(', ') || 'no row';
    yield { text: `The file ${sha256} of ${whose} is ${found === null ? 'not there' : 'damaged'}` };
    return;
  }
  yield {
    text: `The file ${sha256} has ${found.size} bytes, and its row says ${size}`,
    mend: {
      text: 'let the row say so',
      async run() {
        await database.transaction((tx) =>
          tx.updateTable('blobs').set({ size: found.size }).where('sha256', '=', sha256).execute(),
        );
        return true;
      },
    },
  };
}

async function digestOf({ blobs: store }: Examined, sha256: string): Promise<BlobRow | null> {
  const opened = await openBlob(store, sha256);
  if (opened === null) return null;
  const hash = createHash('sha256');
  for await (const bytes of opened.stream) hash.update(bytes as Buffer);
  return { sha256: hash.digest('hex'), size: opened.size };
}

/** `job_artifacts id 5`: the first of each table. */
async function ownersOf({ database }: Examined, sha256: string): Promise<string[]> {
  const snapshot = await openSnapshot(database);
  try {
    const owners: string[] = [];
    for (const reference of REFERENCES) {
      const [table, column] = reference.split('.') as [string, string];
      const key = snapshot.tables.find(({ name }) => name === table)?.key ?? [];
      const rows = await snapshot.query(
        `select ${key.map(quoted).join(', ')} from ${quoted(table)} where ${quoted(column)} = '${sha256}' limit 3`,
      );
      owners.push(...rows.map((row) => `${table} ${key.map((part) => `${part} ${row[part]}`).join(' ')}`));
    }
    return owners;
  } finally {
    await snapshot.close();
  }
}

/** A server removes them daily by itself. */
async function* strays({ blobs: store, database }: Examined): AsyncGenerator<Finding> {
  const count = await strayBlobs(store, database.reader);
  if (count === 0) return;
  yield {
    text: `${count} files of blobs belong to no row`,
    mend: { text: 'remove them', run: async () => (await sweepBlobs(store, database)).strays >= 0 },
  };
}
