import { randomBytes } from 'node:crypto';
import { encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';
import type { Answer, Project, World } from '#test/support/world.ts';

/** An integration as a tool knows it: its address and its key. */
export interface Given {
  readonly id: number;
  readonly key: string;
  /** The last segment of its address. */
  readonly endpoint: string;
  /** Below the server's root, `//acme/web/alerts/notify/name/0123456789abcdef.json`. */
  readonly address: string;
  /** Sends a payload there, as JSON unless it is text already. */
  notify(payload: unknown, sending?: { address?: string; headers?: Readonly<Record<string, string>> }): Promise<Answer>;
}

interface Wish {
  readonly name?: string;
  readonly type?: 'http' | 'prometheus';
  readonly active?: boolean;
  readonly endpoint?: string;
  readonly mapping?: object;
}

/** A new integration of the project. */
export async function newIntegration(
  { server, anonymous }: Pick<World, 'server' | 'anonymous'>,
  project: Pick<Project, 'id' | 'path_with_namespace'>,
  {
    name = 'Data Dog',
    type = 'http',
    active = true,
    mapping = {},
    endpoint = randomBytes(8).toString('hex'),
  }: Wish = {},
): Promise<Given> {
  const key = randomBytes(16).toString('hex');
  // As it is kept, because whoever lists integrations reads it again.
  const place = `alert_integrations.encrypted_token:${project.id}/${endpoint}`;
  const encrypted_token = encrypt(await server.services.secretKey(), key, place);
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
    notify: (payload, { address: other = address, headers = { Authorization: `Bearer ${key}` } } = {}) =>
      anonymous.send('POST', other, { raw: typeof payload === 'string' ? payload : JSON.stringify(payload), headers }),
  };
}

/** A payload as Alertmanager sends it, of these elements. */
export const webhook = (...alerts: unknown[]) => ({
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

/** An element of it that fires. */
export const firing = (title: string, more: object = {}) => ({
  status: 'firing',
  labels: { alertname: title },
  annotations: {},
  startsAt: '2026-02-13T10:20:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  ...more,
});

/** The rows of a project's alerts, by iid. */
export function alertsOf({ server }: Pick<World, 'server'>, project: Pick<Project, 'id'>) {
  const query = server.services.database.reader.selectFrom('alerts').selectAll().where('project_id', '=', project.id);
  return query.orderBy('iid').execute();
}

/** What is said on them, in its order, each with the alert's iid before it. */
export async function saidOn({ server }: Pick<World, 'server'>, project: Pick<Project, 'id'>): Promise<string[]> {
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
