import { randomBytes } from 'node:crypto';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';
import type { Project, TestResponse, World } from '#test/support/world.ts';

/** An integration with the address and the key that a monitoring tool uses. */
export interface TestIntegration {
  readonly id: number;
  readonly key: string;
  /** The endpoint identifier: the last segment of the address. */
  readonly endpoint: string;
  /** Path on the server, such as `//acme/web/alerts/notify/name/0123456789abcdef.json`. The second slash marks a path outside the API. */
  readonly address: string;
  /** Sends a payload to the address, with the key by default. A text is sent as it is, everything else as JSON. */
  notify(
    payload: unknown,
    options?: { address?: string; headers?: Readonly<Record<string, string>> },
  ): Promise<TestResponse>;
}

interface TestIntegrationInput {
  readonly name?: string;
  readonly type?: 'http' | 'prometheus';
  readonly active?: boolean;
  readonly endpoint?: string;
  readonly mapping?: object;
}

/** Creates an integration in the project. */
export async function createTestIntegration(
  { server, anonymous }: Pick<World, 'server' | 'anonymous'>,
  project: Pick<Project, 'id' | 'path_with_namespace'>,
  {
    name = 'Data Dog',
    type = 'http',
    active = true,
    mapping = {},
    endpoint = randomBytes(8).toString('hex'),
  }: TestIntegrationInput = {},
): Promise<TestIntegration> {
  const key = randomBytes(16).toString('hex');
  // Encrypted like a real token, because listing integrations decrypts it.
  const context = ENCRYPTED_COLUMNS.alertIntegrationToken.buildContext({
    project_id: project.id,
    endpoint_identifier: endpoint,
  });
  const encrypted_token = encrypt(await server.services.secretKey(), key, context);
  const { id } = await server.services.database.transaction((tx) =>
    tx
      .insertInto('alert_integrations')
      .values({
        project_id: project.id,
        type,
        name,
        active,
        endpoint_identifier: endpoint,
        encrypted_token,
        token_digest: hashToken(key),
        payload_example: '{}',
        payload_attribute_mapping: JSON.stringify(mapping),
        created_at: tx.now,
        updated_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const address = `//${project.path_with_namespace}/alerts/notify/name/${endpoint}.json`;
  return {
    id,
    key,
    endpoint,
    address,
    notify: (payload, { address: targetAddress = address, headers = { Authorization: `Bearer ${key}` } } = {}) =>
      anonymous.send('POST', targetAddress, {
        raw: typeof payload === 'string' ? payload : JSON.stringify(payload),
        headers,
      }),
  };
}

/** Builds an Alertmanager payload with these elements. */
export const buildWebhookPayload = (...alerts: unknown[]) => ({
  version: '4',
  groupKey: '{}:{alertname="Disk"}',
  status: 'firing',
  receiver: 'hearth',
  groupLabels: {},
  commonLabels: null,
  commonAnnotations: {},
  externalURL: '',
  alerts,
});

/** Builds a firing element of a webhook payload. */
export const buildFiringElement = (title: string, overrides: object = {}) => ({
  status: 'firing',
  labels: { alertname: title },
  annotations: {},
  startsAt: '2026-02-13T10:20:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  ...overrides,
});

/** Returns the rows of a project's alerts, ordered by iid. */
export function listAlertRows({ server }: Pick<World, 'server'>, project: Pick<Project, 'id'>) {
  const query = server.services.database.reader.selectFrom('alerts').selectAll().where('project_id', '=', project.id);
  return query.orderBy('iid').execute();
}

/** Returns the notes on a project's alerts in order, as `iid username body`. */
export async function listAlertNoteTexts(
  { server }: Pick<World, 'server'>,
  project: Pick<Project, 'id'>,
): Promise<string[]> {
  const notes = await server.services.database.reader
    .selectFrom('alert_notes')
    .innerJoin('alerts', 'alerts.id', 'alert_notes.alert_id')
    .innerJoin('users', 'users.id', 'alert_notes.author_id')
    .select(['alerts.iid', 'users.username', 'alert_notes.body'])
    .where('alerts.project_id', '=', project.id)
    .orderBy('alert_notes.id')
    .execute();
  return notes.map(({ iid, username, body }) => `${iid} ${username} ${body}`);
}
