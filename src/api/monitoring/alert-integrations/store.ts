import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { type Page, paginate } from '#database/page.ts';
import type { AlertIntegrationType, MonitoringTables } from '#database/tables/alerts.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { oldestIntegration } from '../alerts/index.ts';

/** The rows of alert integrations. */

type Table = MonitoringTables['alert_integrations'];

/** What it is shown with is read when it is sent. */
const columns = [
  'id',
  'project_id',
  'type',
  'name',
  'active',
  'endpoint_identifier',
  'encrypted_token',
  'token_digest',
  'payload_attribute_mapping',
  'created_at',
  'updated_at',
] as const;

type Row = Omit<Selectable<Table>, 'payload_example'>;

/** An integration, and the path of its project. */
export type IntegrationInProject = Row & { readonly full_path: string };

/** The examples of integrations by their ids: of a mebibyte each, so that long ones of many are read one by one. */
export const examplesOf = createTextLoader('alert_integrations', 'payload_example');

type Place = Pick<Project, 'id' | 'full_path'>;

const inPlace = (row: Row, { full_path }: Place): IntegrationInProject => ({ ...row, full_path });

/** index: alert_integrations_by_project */
function integrationsOf(db: Reader, project: Place) {
  return db.selectFrom('alert_integrations').select(columns).where('project_id', '=', project.id);
}

interface Filter {
  readonly type?: AlertIntegrationType | null | undefined;
  /** Of each type only the oldest: on tier free the others are as good as not there. */
  readonly oldestOnly: boolean;
}

/** One page of the project's integrations, the oldest first. index: alert_integrations_by_project, alert_integrations_by_type */
export async function listIntegrations(
  db: Reader,
  project: Place,
  { type, oldestOnly }: Filter,
  page: OffsetRequest,
): Promise<Page<IntegrationInProject>> {
  let query = integrationsOf(db, project);
  if (type != null) query = query.where('type', '=', type);
  if (oldestOnly) {
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('alert_integrations as oldest')
        .select(({ fn }) => fn.min('oldest.id').as('id'))
        .where('oldest.project_id', '=', project.id)
        .groupBy('oldest.type'),
    );
  }
  const found = await paginate(db, query.orderBy('id'), page);
  return { ...found, items: found.items.map((row) => inPlace(row, project)) };
}

/** index: alert_integrations primary key */
export async function findIntegration(db: Reader, project: Place, id: number): Promise<IntegrationInProject | null> {
  const row = await db
    .selectFrom('alert_integrations')
    .select(columns)
    .where('id', '=', id)
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return row === undefined ? null : inPlace(row, project);
}

/** The id of the project's oldest integration of a type, the only one that works on tier free; null: it has none. */
export async function oldestOfType(db: Reader, projectId: number, type: AlertIntegrationType): Promise<number | null> {
  return (await oldestIntegration.first(db, { projectId, type }))?.id ?? null;
}

/** Throws the unique violation of the index by endpoint when the project has one with that identifier. */
export async function insertIntegration(
  tx: Transaction,
  project: Place,
  row: Omit<Insertable<Table>, 'project_id' | 'created_at' | 'updated_at'>,
): Promise<IntegrationInProject> {
  const inserted = await tx
    .insertInto('alert_integrations')
    .values({ ...row, project_id: project.id, created_at: tx.now, updated_at: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return inPlace(inserted, project);
}

/** Null when it has gone meanwhile. index: alert_integrations primary key */
export async function updateIntegration(
  tx: Transaction,
  { id, full_path }: IntegrationInProject,
  set: Updateable<Table>,
): Promise<IntegrationInProject | null> {
  const row = await tx
    .updateTable('alert_integrations')
    .set({ ...set, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, full_path };
}

/** index: alert_integrations primary key */
export async function deleteIntegration(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('alert_integrations').where('id', '=', id).execute();
}
