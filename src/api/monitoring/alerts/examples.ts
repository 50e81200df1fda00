import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

/** Builds a call that sends an alert with an integration's key: in the scene's project, or in a new project if legacy. */
const sendAlert =
  (title: string, legacy?: 'legacy' | 'legacy-prometheus'): Build =>
  async ({ project: sceneProject, newProject, newAlertIntegration }) => {
    const project = legacy === undefined ? sceneProject : await newProject();
    const { key, endpoint } = await newAlertIntegration(project, legacy === undefined ? {} : { endpoint: legacy });
    const address: Record<string, string> = { project_path: project.path_with_namespace };
    if (legacy === undefined) Object.assign(address, { name: 'data-dog', endpoint_identifier: endpoint });
    return {
      by: 'anonymous',
      path: address,
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
