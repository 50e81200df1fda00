import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const ENABLED_SETTINGS = { active: true, integrated: true };

/** Creates a project with saved settings. */
async function createProjectWithSettings({
  newProject,
  callers,
  expectSuccess,
}: Scene): Promise<{ readonly id: number }> {
  const project = await newProject();
  await expectSuccess(callers.owner.put(`${project.at}/error_tracking/settings`, ENABLED_SETTINGS));
  return { id: project.id };
}

export const examples: Examples<typeof endpoints> = {
  getErrorTrackingSettings: async (scene) => ({ by: 'maintainer', path: await createProjectWithSettings(scene) }),
  updateErrorTrackingSettings: async (scene) => ({
    by: 'maintainer',
    path: await createProjectWithSettings(scene),
    params: { active: false },
  }),
  setErrorTrackingSettings: ({ project }) => ({ by: 'maintainer', path: { id: project.id }, params: ENABLED_SETTINGS }),
};
