import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readNotificationSetting: () => ({ by: 'stranger' }),
  updateNotificationSetting: () => ({ by: 'stranger', params: { level: 'watch', new_note: true } }),
  readGroupNotificationSetting: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  readProjectNotificationSetting: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
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
