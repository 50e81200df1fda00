import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Services } from '#http/services.ts';
import {
  ALL_ENVIRONMENTS,
  type CiVariable,
  type ReceivingJob,
  type StoredVariable,
  selectEffectiveVariables,
} from '../ci-file/index.ts';
import { decryptValue } from './store.ts';

// Variables of the instance, groups and project, as jobs get them.

/** Maximum total size of the stored variables that a job gets, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

type VariableServices = Pick<Services, 'database' | 'secretKey'>;
type ProjectLocation = Pick<Project, 'id' | 'namespace_id'>;

/** Returns the variables of a job when a runner gets it; decrypts only these. Null if they are too large. */
export async function loadStoredVariablesForJob(
  services: VariableServices,
  project: ProjectLocation,
  job: ReceivingJob,
): Promise<CiVariable[] | null> {
  const variables = selectEffectiveVariables(await listStoredVariables(services.database.reader, project), job);
  const decrypt = await createDecrypter(services, variables);
  return decrypt?.(variables) ?? null;
}

/**
 * Returns the variables that any job of a new pipeline may get, with their environment scopes. Null if they are too
 * large.
 */
export async function loadStoredVariablesForPipeline(
  services: VariableServices,
  project: ProjectLocation,
  pipeline: Pick<ReceivingJob, 'protected'> & { readonly hasEnvironments: boolean },
): Promise<StoredVariable[] | null> {
  const storedVariables = await listStoredVariables(services.database.reader, project);
  const usableVariables = storedVariables.filter(
    (variable) =>
      (pipeline.protected || !variable.protected) &&
      (pipeline.hasEnvironments || variable.environment_scope === ALL_ENVIRONMENTS),
  );
  const decrypt = await createDecrypter(services, usableVariables);
  return decrypt && usableVariables.flatMap((row) => decrypt([row]).map((variable) => ({ ...row, variable })));
}

const COLUMNS = [
  'ci_variables.id',
  'ci_variables.key',
  'ci_variables.environment_scope',
  'ci_variables.protected',
  sql<number>`length(ci_variables.encrypted_value)`.as('size'),
] as const;

/** The distance of the instance, greater than that of any group. The nearest owner's variable wins. */
const INSTANCE_DISTANCE = 1_000_000;

// index: ci_variables_of_instance, ci_variables_by_group, namespace_closure_pkey, ci_variables_by_project
const selectStoredVariables = prepare((db, value: Params<{ project: number; namespace: number }>) =>
  db
    .selectFrom('ci_variables')
    .select([...COLUMNS, sql<number>`${sql.lit(INSTANCE_DISTANCE)}`.as('distance')])
    .where('project_id', 'is', null)
    .where('group_id', 'is', null)
    .unionAll(
      db
        .selectFrom('namespace_closure')
        .innerJoin('ci_variables', 'ci_variables.group_id', 'namespace_closure.ancestor_id')
        .select([...COLUMNS, 'namespace_closure.depth as distance'])
        .where('namespace_closure.descendant_id', '=', value('namespace')),
    )
    .unionAll(
      db
        .selectFrom('ci_variables')
        // The project is nearer than its namespace, which has distance 0.
        .select([...COLUMNS, sql<number>`-1`.as('distance')])
        .where('project_id', '=', value('project')),
    ),
);

type StoredVariableRow = Awaited<ReturnType<typeof listStoredVariables>>[number];

/** Lists all stored variables for jobs of a project, without values. */
async function listStoredVariables(db: Reader, { id, namespace_id }: ProjectLocation) {
  const rows = await selectStoredVariables(db, { project: id, namespace: namespace_id });
  return rows.map((row) => ({ ...row, protected: Boolean(row.protected) }));
}

/** Loads the encrypted values in one query. index: ci_variables primary key */
function loadValues(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('ci_variables')
    .select(['id', 'project_id', 'group_id', 'key', 'encrypted_value', 'variable_type', 'masked', 'raw'])
    .where(({ ref }) => isInIds(db, ref('id'), ids))
    .execute();
}

type DecryptVariables = (rows: readonly StoredVariableRow[]) => CiVariable[];

/**
 * Returns a function that decrypts variables on demand, each once, and skips those deleted meanwhile. Null if they are
 * too large.
 */
async function createDecrypter(
  { database, secretKey }: VariableServices,
  storedVariables: readonly StoredVariableRow[],
): Promise<DecryptVariables | null> {
  if (storedVariables.reduce((sum, { size }) => sum + Number(size), 0) > MAX_BYTES) return null;
  const ids = storedVariables.map(({ id }) => id);
  if (ids.length === 0) return () => [];
  const rowsById = new Map((await loadValues(database.reader, ids)).map((row) => [row.id, row]));
  const key = await secretKey();
  const decryptedById = new Map<number, CiVariable>();
  return (rowsToDecrypt) =>
    rowsToDecrypt.flatMap(({ id }) => {
      const row = rowsById.get(id);
      if (row === undefined) return [];
      const decryptedVariable = decryptedById.get(id) ?? decryptVariable(key, row);
      decryptedById.set(id, decryptedVariable);
      return [decryptedVariable];
    });
}

type ValueRow = Awaited<ReturnType<typeof loadValues>>[number];

function decryptVariable(secretKey: KeyObject, row: ValueRow): CiVariable {
  return {
    key: row.key,
    value: decryptValue(secretKey, row),
    raw: Boolean(row.raw),
    file: row.variable_type === 'file',
    masked: Boolean(row.masked),
  };
}
