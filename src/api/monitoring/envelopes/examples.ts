import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Sends a report as an anonymous caller with a new client key of the project. */
async function reportWithKey({ project, callers, expectSuccess, name }: Scene, body: string) {
  const key = await expectSuccess(callers.owner.post(`${project.at}/error_tracking/client_keys`));
  return {
    by: 'anonymous',
    // Unknown projects get 403 instead of 404.
    path: { project_id: String(project.id) },
    raw: body.replace('MESSAGE', name('message')),
    headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key.body.public_key}, sentry_version=7` },
  } as const;
}

const envelope = (scene: Scene) => reportWithKey(scene, '{}\n{"type":"event"}\n{"message":"MESSAGE"}\n');
const event = (scene: Scene) => reportWithKey(scene, '{"message":"MESSAGE"}');

export const examples: Examples<typeof endpoints> = {
  ingestEnvelope: envelope,
  ingestEvent: event,
  ingestEnvelopeByOlderDsn: envelope,
  ingestEventByOlderDsn: event,
  ingestEnvelopeByPlainDsn: envelope,
  ingestEventByPlainDsn: event,
};
