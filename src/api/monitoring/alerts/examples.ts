import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

/**
 * Builds a call that sends an alert with an integration's key. A legacy address needs a project of its own, because a project
 * has only one integration per legacy address.
 */
const sendAlert =
  (title: string, legacyEndpoint?: 'legacy' | 'legacy-prometheus'): Build =>
  async ({ project: sceneProject, newProject, newAlertIntegration }) => {
    const project = legacyEndpoint === undefined ? sceneProject : await newProject();
    const { key, endpoint } = await newAlertIntegration(
      project,
      legacyEndpoint === undefined ? {} : { endpoint: legacyEndpoint },
    );
    const pathParameters: Record<string, string> = { project_path: project.path_with_namespace };
    if (legacyEndpoint === undefined)
      Object.assign(pathParameters, { name: 'data-dog', endpoint_identifier: endpoint });
    return {
      by: 'anonymous',
      path: pathParameters,
      raw: JSON.stringify({ title, hosts: ['db1'], severity: 'high' }),
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    };
  };

export const examples: Examples<typeof endpoints> = {
  notifyIntegrationJson: sendAlert('Disk almost full'),
  notifyIntegration: sendAlert('Disk almost full'),
  notifyPrometheusJson: sendAlert('Disk almost full', 'legacy-prometheus'),
  notifyPrometheus: sendAlert('Disk almost full', 'legacy-prometheus'),
  notifyLegacyJson: sendAlert('Disk almost full', 'legacy'),
  notifyLegacy: sendAlert('Disk almost full', 'legacy'),
};
