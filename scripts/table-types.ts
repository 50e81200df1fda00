import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { getEngineName } from '#database/dialect.ts';

/** A column as the database describes it. */
interface ColumnRow {
  readonly table: string;
  readonly name: string;
  /** The declared type: `text`, `bigint`, ... */
  readonly type: string;
  readonly nullable: boolean;
  /** Whether an insert may omit the value. */
  readonly has_default: boolean;
  /** Whether the value is computed from other columns. */
  readonly generated: boolean;
}

/**
 * Types of columns whose values no check constraint lists, by `table.column`, or by `column` for all tables. Null is added if the
 * column allows it.
 */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  imported_from: 'ImportedFrom',
  visibility: 'Visibility',
  variable_type: 'VariableType',
  'activity_events.action_name': 'ActivityActionName',
  'activity_events.target_type': 'ActivityTargetType',
  'alert_integrations.type': 'AlertIntegrationType',
  'alerts.severity': 'AlertSeverity',
  'alerts.status': 'AlertStatus',
  'bulk_import_entities.source_type': 'EntityType',
  'bulk_import_trackers.status': 'TrackerState',
  'commit_statuses.status': 'CommitStatusName',
  'deployment_approvals.status': "'approved' | 'rejected'",
  'deployments.status': 'DeploymentStatus',
  'environments.auto_stop_setting': 'AutoStopSetting',
  'environments.state': 'EnvironmentState',
  'environments.tier': 'EnvironmentTier',
  'epics.state': 'EpicState',
  'error_events.level': 'ErrorLevel',
  'error_events.type': 'ErrorType',
  'errors.level': 'ErrorLevel',
  'errors.status': 'ErrorStatus',
  'errors.type': 'ErrorType',
  'geo_checksums.replicable_name': 'ReplicableName',
  'geo_events.event_name': "'created' | 'updated' | 'deleted'",
  'geo_events.replicable_name': 'ReplicableName',
  'geo_registry.pool': "'repository' | 'blob' | 'verification' | 'verified'",
  'geo_registry.state': "'pending' | 'started' | 'synced' | 'failed' | 'leaving'",
  'geo_registry.verification': "'pending' | 'verified' | 'failed'",
  'geo_sites.selective_sync_type': "'namespaces' | 'shards'",
  'iid_counters.kind': 'IidKind',
  // Triggers set these columns.
  'issue_labels.confidential': 'Generated<boolean>',
  'issue_labels.project_id': 'Generated<number>',
  'issue_labels.state': 'Generated<IssueState>',
  'issue_links.link_type': 'IssueLinkType',
  'issues.issue_type': 'IssueType',
  'issues.severity': 'IssueSeverity',
  'issues.state': 'IssueState',
  'job_artifacts.accessibility': "'public' | 'private' | 'maintainer' | 'none'",
  'jobs.run_when': 'JobWhen',
  'jobs.status': 'JobStatus',
  'mail_messages.event': 'MailEvent',
  'mail_messages.reason': 'MailReason',
  'mail_messages.target_type': 'MailTarget',
  'merge_request_reviewers.state': 'ReviewState',
  'merge_request_versions.state': "'empty' | 'collected' | 'overflow'",
  'merge_requests.merge_check': 'MergeCheck',
  'merge_requests.merge_status': 'MergeStatus',
  'merge_requests.state': 'MergeRequestState',
  'milestones.state': 'MilestoneState',
  'notes.kind': 'SystemNoteKind',
  'notes.type': 'NoteType',
  'oauth_grants.challenge_method': "'S256' | 'plain'",
  'pipelines.outcome': "'success' | 'failed'",
  'pipelines.source': 'PipelineSource',
  'pipelines.status': 'PipelineStatus',
  'projects.builds_access_level': 'FeatureLevel',
  'projects.environments_access_level': 'FeatureLevel',
  'projects.issues_access_level': 'FeatureLevel',
  'projects.merge_requests_access_level': 'FeatureLevel',
  'projects.repository_access_level': 'FeatureLevel',
  'projects.snippets_access_level': 'FeatureLevel',
  'projects.wiki_access_level': 'FeatureLevel',
  'resource_groups.process_mode': 'ProcessMode',
  'resource_label_events.action': 'LabelChange',
  'resource_milestone_events.action': 'MilestoneChange',
  'resource_milestone_events.state': 'ResourceState',
  'resource_state_events.state': 'ResourceState',
  'runner_queues.scope': "'instance' | 'group' | 'project'",
  'runners.access_level': 'RunnerAccessLevel',
  'runners.registration_type': "'registration_token' | 'authenticated_user'",
  'runners.runner_type': 'RunnerType',
  'session_states.bucket': 'SessionBucket',
  'storage_moves.kind': "'project' | 'snippet' | 'group'",
  'storage_moves.state': 'MoveState',
  'todos.action': 'TodoAction',
  'token_bots.source_type': 'SourceType',
};

const VALUE_TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  text: 'string',
  boolean: 'boolean',
  blob: 'Buffer',
  bytea: 'Buffer',
};

/** Returns the text of src/database/tables.ts for a migrated database of either engine. Keeps the comments of `previousText`. */
export async function formatTableTypes(db: Reader, previousText: string): Promise<string> {
  const comments = findComments(previousText);
  const valueLists = await loadValueLists(db);
  const typeNames = new Set<string>();
  const toType = (column: ColumnRow): string => {
    const path = `${column.table}.${column.name}`;
    const valueType =
      valueLists.get(path) ?? COLUMN_TYPES[path] ?? COLUMN_TYPES[column.name] ?? VALUE_TYPES[column.type.toLowerCase()];
    if (valueType === undefined)
      throw new Error(`${path} has the type ${column.type}, which no TypeScript type matches`);
    for (const [name] of valueType.replaceAll(/'[^']*'|Generated/g, '').matchAll(/[A-Z]\w+/g)) typeNames.add(name);
    if (valueType.startsWith('Generated<')) return valueType;
    if (column.generated) return `GeneratedAlways<${valueType}>`;
    const type = column.nullable ? `${valueType} | null` : valueType;
    return column.has_default ? `Generated<${type}>` : type;
  };
  const tables = [...Map.groupBy(await loadColumns(db), ({ table }) => table)].sort(([a], [b]) => (a < b ? -1 : 1));
  const tableTypes = tables.map(([table, columns]) => {
    const lines = columns.map(
      (column) =>
        `${formatComment(comments.get(`${table}.${column.name}`), '    ')}    ${column.name}: ${toType(column)};\n`,
    );
    return `${formatComment(comments.get(table), '  ')}  ${table}: {\n${lines.join('')}  };\n`;
  });
  return `// Generated by \`npm run tables\` from the schema that the migrations create, except the comments.
import type { Generated, GeneratedAlways } from 'kysely';
import type {
${[...typeNames]
  .sort()
  .map((name) => `  ${name},\n`)
  .join('')}} from './column-types.ts';

/** All tables. */
export interface Schema {
${tableTypes.join('')}}
`;
}

async function loadColumns(db: Reader): Promise<ColumnRow[]> {
  const query =
    getEngineName(db) === 'sqlite'
      ? sql<ColumnRow>`
          select tables.name as "table", columns.name, columns.type,
            columns."notnull" = 0 and columns.pk = 0 as nullable,
            columns.dflt_value is not null or (columns.pk > 0 and schema.sql like '%autoincrement%') as has_default,
            columns.hidden > 1 as generated
          from pragma_table_list as tables
          join pragma_table_xinfo(tables.name) as columns
          join sqlite_schema as schema on schema.name = tables.name and schema.type = 'table'
          where tables.type = 'table' and tables.name not glob 'sqlite_*' and tables.name <> 'schema_migrations'
          order by tables.name, columns.cid`
      : sql<ColumnRow>`
          select relname as "table", attname as name, format_type(atttypid, atttypmod) as type,
            not attnotnull as nullable, atthasdef or attidentity <> '' as has_default, attgenerated <> '' as generated
          from pg_attribute join pg_class on pg_class.oid = attrelid
          where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
            and relname <> 'schema_migrations'
          order by relname, attnum`;
  return (await query.execute(db)).rows;
}

/** Returns the union types of the columns whose values a check constraint lists, by `table.column`. */
async function loadValueLists(db: Reader): Promise<Map<string, string>> {
  const query =
    getEngineName(db) === 'sqlite'
      ? sql<{
          table: string;
          text: string;
        }>`select name as "table", sql as text from sqlite_schema where type = 'table'`
      : sql<{ table: string; text: string }>`
          select relname as "table", pg_get_constraintdef(pg_constraint.oid) as text
          from pg_constraint join pg_class on pg_class.oid = conrelid where contype = 'c'`;
  const valueLists = new Map<string, string>();
  for (const { table, text } of (await query.execute(db)).rows) {
    // SQLite keeps `check (state in ('a', 'b'))`; PostgreSQL returns `CHECK ((state = ANY (ARRAY['a'::text, 'b'::text])))`.
    for (const [, column, values = ''] of text.matchAll(/check \(\(?(\w+) (?:in \(|= any \(array\[)('[^)]*)\)/gi)) {
      valueLists.set(`${table}.${column}`, [...values.matchAll(/'[^']*'/g)].map(([value]) => value).join(' | '));
    }
  }
  return valueLists;
}

/** Returns the doc comments of tables and columns, by `table` and `table.column`. */
function findComments(text: string): Map<string, string> {
  const comments = new Map<string, string>();
  let table = '';
  for (const [, comment, indentation, name = ''] of text.matchAll(
    /^(?: *\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?( {2,4})(\w+): /gm,
  )) {
    if (indentation === '  ') table = name;
    const path = indentation === '  ' ? name : `${table}.${name}`;
    if (comment !== undefined) comments.set(path, comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim());
  }
  return comments;
}

const LINE_WIDTH = 120;

function formatComment(comment: string | undefined, indentation: string): string {
  if (comment === undefined) return '';
  const line = `${indentation}/** ${comment} */\n`;
  if (line.length <= LINE_WIDTH) return line;
  const lines = [''];
  for (const word of comment.split(' ')) {
    if (`${indentation} * ${lines.at(-1)} ${word}`.length > LINE_WIDTH) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return `${indentation}/**\n${lines.map((text) => `${indentation} * ${text}\n`).join('')}${indentation} */\n`;
}
