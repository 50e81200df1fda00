import type { Columns, Schema } from '#database/database.ts';
import type { EncryptionContext } from './encryption.ts';

/** A column with encrypted secrets, and the context that each value is bound to. */
export interface EncryptedColumn<Table extends keyof Schema, Name extends keyof Schema[Table] & string> {
  readonly table: Table;
  readonly column: string;
  /** The integer primary key of the table. */
  readonly primaryKey: string;
  /** The columns that `buildContext` needs; they never change. */
  readonly contextColumns: readonly Name[];
  readonly buildContext: (row: Columns<Table, Name>) => EncryptionContext;
}

function declareColumn<Table extends keyof Schema, Name extends keyof Schema[Table] & string>(
  table: Table,
  column: keyof Schema[Table] & string,
  contextColumns: readonly Name[],
  buildContext: (row: Columns<Table, Name>) => string,
  primaryKey = 'id',
): EncryptedColumn<Table, Name> {
  // Contexts have a type of their own, so that nothing is encrypted for a place outside of this file.
  const toContext = buildContext as (row: Columns<Table, Name>) => EncryptionContext;
  return { table, column, primaryKey, contextColumns, buildContext: toContext };
}

/**
 * All columns with encrypted secrets; a rotation of the secret key encrypts them again. The format of a context must never change:
 * stored values could not be decrypted.
 */
export const ENCRYPTED_COLUMNS = {
  alertIntegrationToken: declareColumn(
    'alert_integrations',
    'encrypted_token',
    ['project_id', 'endpoint_identifier'],
    ({ project_id, endpoint_identifier }) => `alert_integrations.encrypted_token:${project_id}/${endpoint_identifier}`,
  ),
  bulkImportUrl: declareColumn(
    'bulk_import_configurations',
    'encrypted_url',
    ['bulk_import_id'],
    ({ bulk_import_id }) => `bulk_import_configurations.url:${bulk_import_id}`,
    'bulk_import_id',
  ),
  bulkImportToken: declareColumn(
    'bulk_import_configurations',
    'encrypted_token',
    ['bulk_import_id'],
    ({ bulk_import_id }) => `bulk_import_configurations.token:${bulk_import_id}`,
    'bulk_import_id',
  ),
  ciVariable: declareColumn(
    'ci_variables',
    'encrypted_value',
    ['project_id', 'group_id', 'key'],
    ({ project_id, group_id, key }) => {
      const owner =
        project_id !== null ? `project/${project_id}` : group_id !== null ? `group/${group_id}` : 'instance';
      return `ci_variables.encrypted_value:${owner}/${key}`;
    },
  ),
  jobVariable: declareColumn('job_variables', 'value', [], () => 'job_variables.value'),
  heldTraceBytes: declareColumn('jobs', 'trace_held', ['id'], ({ id }) => `jobs.trace_held:${id}`),
  pipelineVariable: declareColumn('pipeline_variables', 'value', [], () => 'pipeline_variables.value'),
  registrationToken: declareColumn(
    'runner_registration_tokens',
    'token',
    ['group_id', 'project_id'],
    ({ group_id, project_id }) => {
      const owner =
        group_id !== null ? `group ${group_id}` : project_id !== null ? `project ${project_id}` : 'instance';
      return `runner_registration_tokens.token:${owner}`;
    },
  ),
  scheduleVariable: declareColumn(
    'pipeline_schedule_variables',
    'value',
    ['schedule_id', 'key'],
    ({ schedule_id, key }) => `pipeline_schedule_variables.value:${schedule_id}/${key}`,
  ),
  siteSecret: declareColumn('geo_sites', 'secret_access_key', ['id'], ({ id }) => `geo_sites.secret_access_key:${id}`),
  triggerToken: declareColumn(
    'pipeline_triggers',
    'encrypted_token',
    ['token_digest'],
    ({ token_digest }) => `pipeline_triggers.encrypted_token:${token_digest}`,
  ),
};

/** The context of the file `site-identity` of a secondary, which has a secret key of its own. */
export const SITE_IDENTITY_CONTEXT = 'site-identity' as EncryptionContext;
