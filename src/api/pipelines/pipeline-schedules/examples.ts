import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const SCHEDULE = { description: 'nightly', ref: 'feature', cron: '0 1 * * 5' };

/** Creates a schedule with a variable on `feature`, in a new project, because the number per project is limited. */
async function createSchedule({ newProject, expectSuccess }: Scene) {
  const { id, at, owner, repository } = await newProject();
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'feature', ref: 'main' }));
  const { body } = await expectSuccess(owner.post(`${at}/pipeline_schedules`, SCHEDULE));
  const path = { id, pipeline_schedule_id: body.id as number };
  const variables = `${at}/pipeline_schedules/${body.id}/variables`;
  await expectSuccess(owner.post(variables, { key: 'MODE', value: 'lamp-of-the-night' }));
  return path;
}

const buildScheduleExample =
  (by: CallerName, params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => ({ by, path: await createSchedule(scene), ...(params && { params }) });

const buildVariableExample =
  (by: CallerName, params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => ({ by, path: { ...(await createSchedule(scene)), key: 'MODE' }, ...(params && { params }) });

export const examples: Examples<typeof endpoints> = {
  listPipelineSchedules: [
    ({ project }) => ({ by: 'guest', path: { id: project.id } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { scope: 'active' } }),
  ],
  getPipelineSchedule: buildScheduleExample('guest'),
  listPipelinesOfSchedule: [
    buildScheduleExample('guest'),
    buildScheduleExample('guest', { scope: 'branches', status: 'success', sort: 'desc' }),
  ],
  createPipelineSchedule: async ({ newProject, expectSuccess }) => {
    const { id, owner, repository } = await newProject();
    await expectSuccess(owner.post(`${repository}/branches`, { branch: 'feature', ref: 'main' }));
    return { by: 'developer', path: { id }, params: { ...SCHEDULE, cron_timezone: 'Berlin' } };
  },
  updatePipelineSchedule: buildScheduleExample('owner', { cron: '@daily', active: false }),
  takeOwnershipOfPipelineSchedule: buildScheduleExample('maintainer'),
  playPipelineSchedule: buildScheduleExample('developer'),
  deletePipelineSchedule: buildScheduleExample('maintainer'),
  createScheduleVariable: buildScheduleExample('owner', { key: 'LEVEL', value: 'high', variable_type: 'file' }),
  getScheduleVariable: buildVariableExample('maintainer'),
  updateScheduleVariable: buildVariableExample('owner', { value: 'low' }),
  deleteScheduleVariable: buildVariableExample('maintainer'),
};
