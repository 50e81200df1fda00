import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

/** A payload for an integration by whoever has its key: of the scene's project, or a legacy one of a project of its own. */
const sent =
  (title: string, legacy?: 'legacy' | 'legacy-prometheus'): Build =>
  async ({ project: ofScene, newProject, newAlertIntegration }) => {
    const project = legacy === undefined ? ofScene : await newProject();
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
  notifyIntegrationJson: sent('Disk almost full'),
  notifyIntegration: sent('Disk almost full'),
  notifyPrometheusJson: sent('Disk almost full', 'legacy-prometheus'),
  notifyPrometheus: sent('Disk almost full', 'legacy-prometheus'),
  notifyLegacyJson: sent('Disk almost full', 'legacy'),
  notifyLegacy: sent('Disk almost full', 'legacy'),
};
