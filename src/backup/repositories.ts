import { type DatabaseSnapshot, quoteIdentifier } from '#database/copy.ts';

/**
 * A repository of a server: a row of any table with the columns `storage` and `disk_path`. New kinds of repositories
 * need no change here, but their table must show by `ref_state_version` and intents when refs change (`backup.test.ts`).
 */
export interface StoredRepository {
  /** Table and key of its row: `repositories 17`. */
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  /** Target of HEAD. */
  readonly default_branch: string;
  /** Changes whenever refs change. */
  readonly version: number;
  /** Whether the row marks it as empty. */
  readonly empty: boolean;
  /** Changes of unfinished ref updates, each as JSON; usually none. */
  readonly intents: readonly string[];
}

type Tables = DatabaseSnapshot['tables'];

export const INTENTS_TABLE = 'ref_intents';

/** Returns the column of intents that refers to a table: the name of its key, or `snippet_id` for the key `id` of `snippets`. */
function getIntentColumn({ name, key }: Tables[number]): string {
  return key[0] === 'id' ? `${name.replace(/s$/, '')}_id` : key[0]!;
}

/** Columns that show when the refs of a repository change. */
export const VERSIONED_COLUMNS = ['default_branch', 'ref_state_version', 'empty'] as const;

export function listRepositoryTables({ tables }: { readonly tables: Tables }): Tables {
  return tables.filter((table) => hasColumns(table, ['storage', 'disk_path']));
}

export function hasColumns({ columns }: Tables[number], names: readonly string[]): boolean {
  return names.every((name) => columns.some((column) => column.name === name));
}

/** Returns all repositories in the snapshot, by table and key. */
export async function listRepositories(snapshot: DatabaseSnapshot): Promise<StoredRepository[]> {
  const repositories: StoredRepository[] = [];
  for (const table of listRepositoryTables(snapshot)) {
    const key = quoteIdentifier(table.key[0]!);
    const columns = ['storage', 'disk_path', ...VERSIONED_COLUMNS].map(quoteIdentifier).join(', ');
    const intents = await loadIntents(snapshot, quoteIdentifier(getIntentColumn(table)));
    for (const row of await snapshot.query(
      `select ${key} as id, ${columns} from ${quoteIdentifier(table.name)} order by ${key}`,
    )) {
      repositories.push({
        name: `${table.name} ${row.id}`,
        storage: String(row.storage),
        disk_path: String(row.disk_path),
        default_branch: String(row.default_branch),
        version: Number(row.ref_state_version),
        empty: row.empty === true,
        intents: intents.get(Number(row.id)) ?? [],
      });
    }
  }
  return repositories;
}

/** Returns the changes of unfinished ref updates by the id in this column. */
async function loadIntents(snapshot: DatabaseSnapshot, column: string): Promise<Map<number, string[]>> {
  const rows = await snapshot.query(
    `select ${column} as id, changes from ${INTENTS_TABLE} where ${column} is not null`,
  );
  const rowsById = Map.groupBy(rows, (row) => Number(row.id));
  return new Map([...rowsById].map(([id, intents]) => [id, intents.map(({ changes }) => String(changes))]));
}
