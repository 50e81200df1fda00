import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getNotificationSetting: () => ({ by: 'stranger' }),
  updateNotificationSetting: () => ({ by: 'stranger', params: { level: 'watch', new_note: true } }),
  getGroupNotificationSetting: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  getProjectNotificationSetting: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  updateGroupNotificationSetting: ({ group }) => ({
    by: 'guest',
    path: { id: group.id },
    params: { level: 'mention', new_epic: true },
  }),
  updateProjectNotificationSetting: ({ project }) => ({
    by: 'guest',
    path: { id: project.id },
    params: { level: 'custom', new_issue: true },
  }),
};
