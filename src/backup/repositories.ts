import { type DatabaseSnapshot, quoteIdentifier } from '#database/copy.ts';

/**
 * A repository of a server: a row of any table with the columns `storage` and `disk_path`. New kinds of repositories
 * need no change here, but their table must show when refs change (`repositories.test.ts`): by `ref_state_version` and
 * intents, or by `made` if refs never change.
 */
export interface StoredRepository {
  /** Table and key of its row: `repositories 17`. */
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  /** Target of HEAD; null: only the repository itself has it. */
  readonly default_branch: string | null;
  /** Changes whenever refs change. */
  readonly version: number;
  /** Whether the row marks it as empty. */
  readonly empty: boolean;
  /** Unfinished ref updates; usually none. */
  readonly intents: readonly string[];
}

type Tables = DatabaseSnapshot['tables'];

/** The column that refers to a repository has the name of its table's key. */
export const INTENTS_TABLE = 'ref_intents';

/** Columns of tables whose repositories change. */
export const VERSIONED_COLUMNS = ['default_branch', 'ref_state_version', 'empty'] as const;

/** Column of tables whose repositories never change after their creation. */
export const MADE_COLUMN = 'made';

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
    const isVersioned = hasColumns(table, VERSIONED_COLUMNS);
    const key = quoteIdentifier(table.key[0]!);
    const columns = ['storage', 'disk_path', ...(isVersioned ? VERSIONED_COLUMNS : [MADE_COLUMN])]
      .map(quoteIdentifier)
      .join(', ');
    const intents = isVersioned ? await loadIntents(snapshot, key) : new Map<number, string[]>();
    for (const row of await snapshot.query(
      `select ${key} as id, ${columns} from ${quoteIdentifier(table.name)} order by ${key}`,
    )) {
      repositories.push({
        name: `${table.name} ${row.id}`,
        storage: String(row.storage),
        disk_path: String(row.disk_path),
        default_branch: isVersioned ? String(row.default_branch) : null,
        version: Number(isVersioned ? row.ref_state_version : row.made),
        empty: row.empty === true,
        intents: intents.get(Number(row.id)) ?? [],
      });
    }
  }
  return repositories;
}

async function loadIntents(snapshot: DatabaseSnapshot, key: string): Promise<Map<number, string[]>> {
  const rows = await snapshot.query(`select ${key} as id, changes from ${INTENTS_TABLE} where ${key} is not null`);
  const groups = Map.groupBy(rows, (row) => Number(row.id));
  return new Map([...groups].map(([id, rows]) => [id, rows.map(({ changes }) => String(changes))]));
}
