import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestResponse, world } from '#test/support/world.ts';

// The contents of audit events (contract/activity.md Part 3, "What records an audit event"), for groups, projects and members.

const { root, user, name, newProject, newGroup } = await world();

interface AuditEvent {
  readonly id: number;
  readonly author_id: number;
  readonly entity_type: string;
  readonly entity_id: number;
  readonly event_name: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The keys that the details of every event have. */
const COMMON_DETAIL_KEYS = ['event_name', 'author_name', 'author_class', 'author_email', 'ip_address'];

/** Runs the calls and returns the audit events that they record, oldest first, without the common details. */
async function recordedEvents(...calls: readonly (() => Promise<TestResponse>)[]) {
  const [newest]: AuditEvent[] = (await root.get('/audit_events', { per_page: 1 })).body;
  for (const call of calls) {
    const { status, text } = await call();
    assert.ok(status < 300, text);
  }
  const events: AuditEvent[] = (await root.get('/audit_events', { per_page: 100 })).body;
  return events
    .filter(({ id }) => id > (newest?.id ?? 0))
    .reverse()
    .map(({ event_name, entity_type, entity_id, details }) => {
      assert.equal(details.event_name, event_name);
      const own = Object.entries(details).filter(([key]) => !COMMON_DETAIL_KEYS.includes(key));
      return { event_name, entity: `${entity_type} ${entity_id}`, ...Object.fromEntries(own) };
    });
}

const groupTarget = (id: number, path: string) => ({ target_id: id, target_type: 'Group', target_details: path });
const projectTarget = (id: number, targetDetails: string) => ({
  target_id: id,
  target_type: 'Project',
  target_details: targetDetails,
});

test('records one event per changed attribute of a group', async () => {
  const owner = await user();
  const path = name('told');
  const top = await newGroup({ owner, name: 'Top', path });
  const at = top.at;
  const of = { entity: `Group ${top.id}`, entity_path: `${path}x`, ...groupTarget(top.id, `${path}x`) };
  const changes = { name: 'Other', path: `${path}x`, description: 'Words', visibility: 'internal' };
  const change = (what: string, from: string, to: string, custom_message: string) => ({
    event_name: `group_${what}_updated`,
    ...of,
    change: what,
    from,
    to,
    custom_message: `Changed ${what} ${custom_message}`,
  });
  assert.deepEqual(await recordedEvents(() => owner.put(at, changes)), [
    change('name', 'Top', 'Other', 'from Top to Other'),
    change('path', path, `${path}x`, `from ${path} to ${path}x`),
    change('visibility_level', 'Private', 'Internal', 'from Private to Internal'),
    change('description', '', 'Words', 'to Words'),
  ]);
});

test('records creation and deletion of a subgroup', async () => {
  const owner = await user();
  const path = `${name('told')}x`;
  const top = await newGroup({ owner, path });
  const of = { entity: `Group ${top.id}`, entity_path: path };
  const create = () => owner.post('/groups', { name: 'Low', path: 'low', parent_id: top.id });
  const [made, ...more] = await recordedEvents(create);
  const low = Number(made?.entity.split(' ')[1]);
  const lowPath = `${path}/low`;
  const added = { event_name: 'group_created', entity: `Group ${low}`, custom_message: 'Added group' };
  assert.deepEqual([made, more], [{ ...added, entity_path: lowPath, ...groupTarget(low, lowPath) }, []]);
  const full_path = `${lowPath}-deletion_scheduled-${low}`;
  const remove = () => owner.delete(`/groups/${low}`);
  const destroy = () => owner.delete(`/groups/${low}`, { permanently_remove: true, full_path });
  const destroyed = { event_name: 'group_destroyed', remove: 'group', custom_message: 'Group destroyed' };
  assert.deepEqual(await recordedEvents(remove, destroy), [{ ...destroyed, ...of, ...groupTarget(low, full_path) }]);
});

test('records archiving, unarchiving and transfer of a project', async () => {
  const { group, owner } = await world({ group: { name: 'Home' } });
  const { id } = await newProject({ owner, name: 'Told' });
  const at = `/projects/${id}`;
  const path = `${owner.username}/told`;
  const of = { entity: `Project ${id}`, entity_path: path };
  const archive = () => owner.post(`${at}/archive`);
  const unarchive = () => owner.post(`${at}/unarchive`);
  assert.deepEqual(await recordedEvents(archive, unarchive), [
    { event_name: 'project_archived', ...of, ...projectTarget(id, 'Told'), custom_message: 'Project archived' },
    {
      event_name: 'project_unarchived',
      ...of,
      ...projectTarget(id, 'Told'),
      custom_message: 'Project unarchived',
    },
  ]);
  const moved = `${group.path}/told`;
  const change = { change: 'namespace', from: owner.username, to: group.path };
  const custom_message = `Changed namespace from ${owner.username} to ${group.path}`;
  const there = { entity: `Project ${id}`, entity_path: moved, ...projectTarget(id, moved) };
  assert.deepEqual(await recordedEvents(() => owner.put(`${at}/transfer`, { namespace: group.path })), [
    { event_name: 'project_namespace_updated', ...there, ...change, custom_message },
  ]);
});

test('records deletion of a group project in the audit log of its group', async () => {
  const { group, owner } = await world({ group: { name: 'Home' } });
  const { id, at } = await newProject({ in: group, name: 'Told' });
  const moved = `${group.path}/told`;
  const full_path = `${moved}-deletion_scheduled-${id}`;
  const remove = () => owner.delete(at);
  const destroy = () => owner.delete(at, { permanently_remove: true, full_path });
  assert.deepEqual(await recordedEvents(remove, destroy), [
    {
      event_name: 'project_destroyed',
      entity: `Group ${group.id}`,
      entity_path: group.path,
      ...projectTarget(id, full_path),
      custom_message: `Project '${full_path}' was deleted`,
      remove: 'project',
      project_id: id,
      project_name: `Told-deletion_scheduled-${id}`,
      project_full_path: full_path,
      namespace_id: group.id,
      namespace_name: 'Home',
      namespace_path: group.path,
    },
  ]);
});

test('records deletion of a personal project in the instance audit log', async () => {
  const owner = await user();
  const { id } = await newProject({ owner, name: 'Told' });
  const full_path = `${owner.username}/told-deletion_scheduled-${id}`;
  const remove = () => owner.delete(`/projects/${id}`);
  const destroy = () => owner.delete(`/projects/${id}`, { permanently_remove: true, full_path });
  const [event, ...more] = await recordedEvents(remove, destroy);
  assert.deepEqual(more, []);
  assert.equal(event?.entity, 'Gitlab::Audit::InstanceScope 1');
  const { entity_path, custom_message, namespace_path } = event as unknown as Record<string, unknown>;
  assert.deepEqual(
    [entity_path, custom_message, namespace_path],
    ['gitlab_instance', `Project '${full_path}' was deleted`, owner.username],
  );
});

const ADDED = { add: 'user_access', as: 'Default role: Reporter', custom_message: 'Membership created' };
const CHANGED = {
  change: 'access_level',
  from: 'Default role: Reporter',
  to: 'Default role: Planner',
  as: 'Default role: Planner',
  expiry_from: '2030-01-01',
  expiry_to: null,
  custom_message: 'Membership updated',
};
const REMOVED = { remove: 'user_access', as: 'Default role: Planner', custom_message: 'Membership destroyed' };

test('records creation, update and deletion of a membership', async () => {
  const [owner, mira] = [await user(), await user()];
  const path = name('told');
  const { id } = await newGroup({ owner, name: 'Top', path });
  const at = `/groups/${id}/members`;
  const target = { target_id: mira.id, target_type: 'User', target_details: `Name of ${mira.username}` };
  const events = await recordedEvents(
    () => owner.post(at, { user_id: mira.id, access_level: 20, expires_at: '2030-01-01' }),
    () => owner.put(`${at}/${mira.id}`, { access_level: 15, expires_at: null }),
    () => owner.delete(`${at}/${mira.id}`),
  );
  const member_id = (events[0] as unknown as { member_id: number }).member_id;
  assert.ok(Number.isInteger(member_id));
  const of = { entity: `Group ${id}`, entity_path: path, ...target, member_id };
  assert.deepEqual(events, [
    { event_name: 'member_created', ...of, ...ADDED },
    { event_name: 'member_updated', ...of, ...CHANGED },
    { event_name: 'member_destroyed', ...of, ...REMOVED },
  ]);
});
