import type { Answer, Sending } from '#test/support/caller.ts';
import { done, type Project, world } from '#test/support/world.ts';

/** A project that takes reports, and a program that sends them. */
export async function reporter() {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, anonymous, server } = here;
  const key = await newKey(maintainer, project);
  const send = (path: string, raw: string | Buffer, { headers = {} }: Sending = {}) =>
    anonymous.send('POST', `//errortracking/api/v1/projects/api/${project.id}/${path}`, {
      raw,
      headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key}`, ...headers },
    });
  return {
    ...here,
    key,
    /** Sends these bytes as an envelope. */
    envelope: (raw: string | Buffer, sending?: Sending) => send('envelope/', raw, sending),
    /** Sends these bytes as an event alone. */
    store: (raw: string | Buffer, sending?: Sending) => send('store/', raw, sending),
    /** Sends these events in one envelope. */
    report: (...events: readonly object[]) => send('envelope/', envelopeOf(...events)),
    /** What has been stored of errors, the oldest first. */
    errors: () =>
      server.services.database.reader
        .selectFrom('errors')
        .selectAll()
        .where('project_id', '=', project.id)
        .orderBy('id')
        .execute(),
    /** The same of events. */
    events: () =>
      server.services.database.reader
        .selectFrom('error_events')
        .selectAll()
        .where('project_id', '=', project.id)
        .orderBy('id')
        .execute(),
    sessions: async () =>
      (await maintainer.get(`${project.at}/error_tracking/sessions`)).body.map(
        ({ last_seen, ...counts }: { last_seen: string }) => counts,
      ),
  };
}

export const envelopeOf = (...events: readonly object[]) =>
  itemsOf(...events.map((event) => ['event', event] as const));

/** An envelope of items, of which each has a type. */
export const itemsOf = (...items: readonly (readonly [string, object])[]) =>
  `{}\n${items.map(([type, payload]) => `{"type":"${type}"}\n${JSON.stringify(payload)}\n`).join('')}`;

export async function newKey(by: Awaited<ReturnType<typeof world>>['root'], project: Project): Promise<string> {
  return (await done(by.post(`${project.at}/error_tracking/client_keys`))).body.public_key;
}

/** What an answer says. */
export const told = ({ status, body }: Answer) => [status, body?.detail ?? body];
