import { type KeyObject, randomBytes } from 'node:crypto';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { type Page, paginate } from '#database/page.ts';
import type { AlertIntegrationType, Schema } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';
import { findOldestIntegration } from '../alerts/index.ts';

// The rows of alert integrations.

type Table = Schema['alert_integrations'];

/** The selected columns. The long `payload_example` is loaded when the response is serialized. */
const COLUMNS = [
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

type IntegrationRow = Omit<Selectable<Table>, 'payload_example'>;

/** An integration with the full path of its project, which its URL contains. */
export type IntegrationInProject = IntegrationRow & { readonly full_path: string };

/** Loads the payload examples of integrations by id. Long examples (up to 1 MiB each) are loaded one at a time. */
export const loadPayloadExamples = createTextLoader('alert_integrations', 'payload_example');

type IntegrationProject = Pick<Project, 'id' | 'full_path'>;

const withProjectPath = (row: IntegrationRow, { full_path }: IntegrationProject): IntegrationInProject => ({
  ...row,
  full_path,
});

/** Selects the integrations of a project. index: alert_integrations_by_project */
function selectIntegrations(db: Reader, project: IntegrationProject) {
  return db.selectFrom('alert_integrations').select(COLUMNS).where('project_id', '=', project.id);
}

interface IntegrationFilter {
  readonly type?: AlertIntegrationType | null | undefined;
  /** Only the oldest integration of each type; tier free hides the others. */
  readonly oldestOnly: boolean;
}

/** Returns one page of the project's integrations, oldest first. index: alert_integrations_by_project, alert_integrations_by_type */
export async function listIntegrations(
  db: Reader,
  project: IntegrationProject,
  { type, oldestOnly }: IntegrationFilter,
  page: OffsetRequest,
): Promise<Page<IntegrationInProject>> {
  let query = selectIntegrations(db, project);
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
  const result = await paginate(db, query.orderBy('id'), page);
  return { ...result, items: result.items.map((row) => withProjectPath(row, project)) };
}

/** Returns the project's integration with this id, or null. index: alert_integrations primary key */
export async function findIntegration(
  db: Reader,
  project: IntegrationProject,
  id: number,
): Promise<IntegrationInProject | null> {
  const row = await db
    .selectFrom('alert_integrations')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return row === undefined ? null : withProjectPath(row, project);
}

/** Returns the id of the oldest integration of a type, the only one that works on tier free; null if there is none. */
export async function getOldestIntegrationId(
  db: Reader,
  projectId: number,
  type: AlertIntegrationType,
): Promise<number | null> {
  return (await findOldestIntegration.first(db, { projectId, type }))?.id ?? null;
}

/** Creates an integration. Throws a unique violation if the project already has an integration with this endpoint identifier. */
export async function insertIntegration(
  tx: Transaction,
  project: IntegrationProject,
  row: Omit<Insertable<Table>, 'project_id' | 'created_at' | 'updated_at'>,
): Promise<IntegrationInProject> {
  const insertedRow = await tx
    .insertInto('alert_integrations')
    .values({ ...row, project_id: project.id, created_at: tx.now, updated_at: tx.now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return withProjectPath(insertedRow, project);
}

/** Updates an integration. Returns null if it no longer exists. index: alert_integrations primary key */
export async function updateIntegration(
  tx: Transaction,
  { id, full_path }: IntegrationInProject,
  changedColumns: Updateable<Table>,
): Promise<IntegrationInProject | null> {
  const row = await tx
    .updateTable('alert_integrations')
    .set({ ...changedColumns, updated_at: tx.now })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, full_path };
}

/** Deletes an integration. index: alert_integrations primary key */
export async function deleteIntegration(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('alert_integrations').where('id', '=', id).execute();
}

// Tokens of integrations: encrypted, because users who manage integrations may read them again.

type EncryptionContextInput = Columns<'alert_integrations', 'project_id' | 'endpoint_identifier'>;

const { buildContext } = ENCRYPTED_COLUMNS.alertIntegrationToken;

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Generates the last segment of an integration's address. */
export const generateEndpointIdentifier = (): string => randomHex(8);

/** Generates a token of 32 hexadecimal digits and returns its encrypted form and its digest. */
export function generateEncryptedToken(key: KeyObject, integration: EncryptionContextInput) {
  const token = randomHex(16);
  return { encrypted_token: encrypt(key, token, buildContext(integration)), token_digest: hashToken(token) };
}

/** Decrypts the token. */
export function decryptToken(
  key: KeyObject,
  row: EncryptionContextInput & { readonly encrypted_token: string },
): string {
  return decrypt(key, row.encrypted_token, buildContext(row));
}
