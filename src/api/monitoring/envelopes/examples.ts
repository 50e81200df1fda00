import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Whoever has a key of the project may report to it. */
async function reporting({ project, callers, done, name }: Scene, reported: string) {
  const { body } = await done(callers.owner.post(`${project.at}/error_tracking/client_keys`));
  return {
    by: 'anonymous',
    // Of what there is not, nobody is told that it is missing: 403 in place of 404.
    path: { project_id: String(project.id) },
    raw: reported.replace('MESSAGE', name('message')),
    headers: { 'X-Sentry-Auth': `Sentry sentry_key=${body.public_key}, sentry_version=7` },
  } as const;
}

const envelope = (scene: Scene) => reporting(scene, '{}\n{"type":"event"}\n{"message":"MESSAGE"}\n');
const event = (scene: Scene) => reporting(scene, '{"message":"MESSAGE"}');

export const examples: Examples<typeof endpoints> = {
  ingestEnvelope: envelope,
  ingestEvent: event,
  ingestEnvelopeByOlderDsn: envelope,
  ingestEventByOlderDsn: event,
  ingestEnvelopeByPlainDsn: envelope,
  ingestEventByPlainDsn: event,
};
