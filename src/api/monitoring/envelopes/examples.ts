import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Builds a call that sends a report with a new client key of the project. `MESSAGE` in `body` becomes a unique name. */
async function reportWithKey({ project, callers, expectSuccess, name }: Scene, body: string) {
  const clientKey = await expectSuccess(callers.owner.post(`${project.at}/error_tracking/client_keys`));
  return {
    by: 'anonymous',
    // Unknown projects get 403 instead of 404.
    path: { project_id: String(project.id) },
    raw: body.replace('MESSAGE', name('message')),
    headers: { 'X-Sentry-Auth': `Sentry sentry_key=${clientKey.body.public_key}, sentry_version=7` },
  } as const;
}

const sendEnvelope = (scene: Scene) => reportWithKey(scene, '{}\n{"type":"event"}\n{"message":"MESSAGE"}\n');
const sendEvent = (scene: Scene) => reportWithKey(scene, '{"message":"MESSAGE"}');

export const examples: Examples<typeof endpoints> = {
  ingestEnvelope: sendEnvelope,
  ingestEvent: sendEvent,
  ingestEnvelopeByOlderDsn: sendEnvelope,
  ingestEventByOlderDsn: sendEvent,
  ingestEnvelopeByPlainDsn: sendEnvelope,
  ingestEventByPlainDsn: sendEvent,
};
