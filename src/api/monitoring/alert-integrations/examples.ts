import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Builds a call on a newly created integration. */
const forNewIntegration =
  (params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => {
    const { id, integrationId } = await createIntegration(scene);
    return { by: 'maintainer', path: { id, integration_id: integrationId }, ...(params && { params }) };
  };

async function createIntegration({ project, callers, name, expectSuccess }: Scene) {
  const input = { name: name('integration') };
  const { body } = await expectSuccess(callers.owner.post(`${project.at}/alert_integrations`, input));
  return { id: project.id, integrationId: body.id as number };
}

export const examples: Examples<typeof endpoints> = {
  listAlertIntegrations: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  getAlertIntegration: forNewIntegration(),
  createAlertIntegration: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { name: 'Data Dog', payload_example: { alert: { title: 'Disk full' } } },
  }),
  updateAlertIntegration: forNewIntegration({ active: false }),
  deleteAlertIntegration: forNewIntegration(),
  resetAlertIntegrationToken: forNewIntegration(),
  sendTestAlert: async (scene) => ({
    ...(await forNewIntegration({ payload: { title: 'Disk full' } })(scene)),
    by: 'developer',
  }),
  listAlertPayloadFields: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { payload: { alert: { title: 'Disk full', hosts: ['db1'] } } },
  }),
};
