import type { SendOptions, TestResponse } from '#test/support/caller.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

/** Creates a project that accepts reports, and functions that send reports to it. */
export async function createReporter() {
  const testWorld = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, anonymous, server } = testWorld;
  const key = await createClientKey(maintainer, project);
  const send = (path: string, raw: string | Buffer, { headers = {} }: SendOptions = {}) =>
    anonymous.send('POST', `//errortracking/api/v1/projects/api/${project.id}/${path}`, {
      raw,
      headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key}`, ...headers },
    });
  return {
    ...testWorld,
    key,
    /** Sends these bytes to the envelope endpoint. */
    sendEnvelope: (raw: string | Buffer, options?: SendOptions) => send('envelope/', raw, options),
    /** Sends these bytes to the endpoint for single events. */
    sendEvent: (raw: string | Buffer, options?: SendOptions) => send('store/', raw, options),
    /** Sends these events in one envelope. */
    reportEvents: (...events: readonly object[]) => send('envelope/', buildEventEnvelope(...events)),
    /** Returns the stored errors, oldest first. */
    listErrors: () =>
      server.services.database.reader
        .selectFrom('errors')
        .selectAll()
        .where('project_id', '=', project.id)
        .orderBy('id')
        .execute(),
    /** Returns the stored events, oldest first. */
    listEvents: () =>
      server.services.database.reader
        .selectFrom('error_events')
        .selectAll()
        .where('project_id', '=', project.id)
        .orderBy('id')
        .execute(),
    /** Returns the session counts without `last_seen`. */
    listSessions: async () =>
      (await maintainer.get(`${project.at}/error_tracking/sessions`)).body.map(
        ({ last_seen, ...counts }: { last_seen: string }) => counts,
      ),
  };
}

/** Builds an envelope that contains these events. */
export const buildEventEnvelope = (...events: readonly object[]) =>
  buildEnvelope(...events.map((event) => ['event', event] as const));

/** Builds an envelope from pairs of item type and payload. */
export const buildEnvelope = (...items: readonly (readonly [string, object])[]) =>
  `{}\n${items.map(([type, payload]) => `{"type":"${type}"}\n${JSON.stringify(payload)}\n`).join('')}`;

/** Creates a client key of the project and returns its public key. */
export async function createClientKey(
  caller: Awaited<ReturnType<typeof world>>['root'],
  project: Project,
): Promise<string> {
  return (await expectSuccess(caller.post(`${project.at}/error_tracking/client_keys`))).body.public_key;
}

/** Returns the status and the `detail` of an error body, or the whole body. */
export const getStatusAndDetail = ({ status, body }: TestResponse) => [status, body?.detail ?? body];
