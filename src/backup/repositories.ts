import { quoted, type Snapshot } from '#database/copy.ts';

/**
 * All repositories of a server: those that a table with the columns `storage` and `disk_path` names, whatever it is called.
 * Who keeps repositories of a new kind has nothing to add here, but his table must say when their refs move
 * (`repositories.test.ts`): by a `ref_state_version` and by intents, or by `made`, where they never move again.
 */
export interface KeptRepository {
  /** The table whose row it is, and that row's key: `repositories 17`. */
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  /** What HEAD names; null: nobody but HEAD says it. */
  readonly default_branch: string | null;
  /** Another one whenever refs have moved. */
  readonly version: number;
  /** Whether its row says that there is nothing in it. */
  readonly empty: boolean;
  /** What has been written down as about to move; nothing most of the time. */
  readonly intents: readonly string[];
}

type Tables = Snapshot['tables'];

/** Intents name the repository by a column that is called as the key of its table. */
export const INTENTS = 'ref_intents';

/** Of a table whose repositories move. */
export const MOVING = ['default_branch', 'ref_state_version', 'empty'] as const;

/** Of one whose repositories are made once. */
export const MADE = 'made';

/** The tables of repositories. */
export function tablesOfRepositories({ tables }: { readonly tables: Tables }): Tables {
  return tables.filter((table) => hasColumns(table, ['storage', 'disk_path']));
}

export function hasColumns({ columns }: Tables[number], names: readonly string[]): boolean {
  return names.every((name) => columns.some((column) => column.name === name));
}

/** The repositories of a moment, by table and key. */
export async function repositoriesIn(snapshot: Snapshot): Promise<KeptRepository[]> {
  const found: KeptRepository[] = [];
  for (const table of tablesOfRepositories(snapshot)) {
    const moving = hasColumns(table, MOVING);
    const key = quoted(table.key[0]!);
    const columns = ['storage', 'disk_path', ...(moving ? MOVING : [MADE])].map(quoted).join(', ');
    const intents = moving ? await intentsBy(snapshot, key) : new Map<number, string[]>();
    for (const row of await snapshot.query(
      `select ${key} as id, ${columns} from ${quoted(table.name)} order by ${key}`,
    )) {
      found.push({
        name: `${table.name} ${row.id}`,
        storage: String(row.storage),
        disk_path: String(row.disk_path),
        default_branch: moving ? String(row.default_branch) : null,
        version: Number(moving ? row.ref_state_version : row.made),
        empty: row.empty === true,
        intents: intents.get(Number(row.id)) ?? [],
      });
    }
  }
  return found;
}

async function intentsBy(snapshot: Snapshot, key: string): Promise<Map<number, string[]>> {
  const rows = await snapshot.query(`select ${key} as id, changes from ${INTENTS} where ${key} is not null`);
  const groups = Map.groupBy(rows, (row) => Number(row.id));
  return new Map([...groups].map(([id, some]) => [id, some.map(({ changes }) => String(changes))]));
}
