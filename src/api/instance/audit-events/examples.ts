import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Returns the id of the latest event of a group or project. */
async function findLastEventId({ callers, expectSuccess }: Scene, entity_type: 'Group' | 'Project', entity_id: number) {
  const { body } = await expectSuccess(callers.administrator.get('/audit_events', { entity_type, entity_id }));
  return body[0].id as number;
}

export const examples: Examples<typeof endpoints> = {
  listAuditEvents: () => ({ by: 'administrator' }),
  getAuditEvent: async (scene) => ({
    by: 'administrator',
    path: { id: await findLastEventId(scene, 'Group', scene.group.id) },
  }),
  listGroupAuditEvents: ({ group }) => ({ by: 'developer', path: { id: group.id } }),
  getGroupAuditEvent: async (scene) => ({
    by: 'owner',
    path: { id: scene.group.id, audit_event_id: await findLastEventId(scene, 'Group', scene.group.id) },
  }),
  listProjectAuditEvents: ({ project }) => ({ by: 'developer', path: { id: project.id } }),
  getProjectAuditEvent: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, audit_event_id: await findLastEventId(scene, 'Project', scene.project.id) },
  }),
};
