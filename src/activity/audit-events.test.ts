import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { type AuditEvent, describeChange, INSTANCE, recordAudit } from './audit-events.ts';

const administrator: Caller = {
  user: {
    id: 1,
    username: 'root',
    name: 'Administrator',
    email: 'admin@example.com',
    state: 'active',
    admin: true,
    bot: false,
    external: false,
  },
  token: null,
  address: '10.0.0.9',
};

const memberCreated: AuditEvent = {
  name: 'member_created',
  entity: { type: 'Project', id: 34, path: 'forge/anvil' },
  target: { type: 'User', id: 7, details: 'Mira Holt' },
  message: 'Membership created',
  details: { add: 'user_access', as: 'Default role: Developer', member_id: 55 },
};

test('an audit event has the common keys and those of its kind', async () => {
  const [row] = await recorded(administrator, memberCreated);
  assert.deepEqual(row, {
    author_id: 1,
    entity_type: 'Project',
    entity_id: 34,
    event_name: 'member_created',
    details: {
      event_name: 'member_created',
      add: 'user_access',
      as: 'Default role: Developer',
      member_id: 55,
      author_name: 'Administrator',
      author_class: 'User',
      target_id: 7,
      target_type: 'User',
      target_details: 'Mira Holt',
      custom_message: 'Membership created',
      ip_address: '10.0.0.9',
      entity_path: 'forge/anvil',
    },
    created_at: '2026-03-05T09:00:00.401Z',
  });
});

test('additional details never override the common keys', async () => {
  const [row] = await recorded(administrator, { ...memberCreated, details: { author_name: 'Mallory' } });
  assert.equal(row?.details.author_name, 'Administrator');
});

test('the author id is -1 for an event without a user', async () => {
  const [anonymous] = await recorded({ ...ANONYMOUS, address: '10.0.0.9' }, memberCreated);
  assert.equal(anonymous?.author_id, -1);
  assert.equal(anonymous.details.author_name, 'An unauthenticated user');
  assert.equal(anonymous.details.ip_address, '10.0.0.9');
  const [background] = await recorded(ANONYMOUS, memberCreated);
  assert.equal(background?.author_id, -1);
  assert.equal(background.details.author_name, '(System)');
  assert.equal(background.details.ip_address, null);
});

test('on tier free groups and projects have no audit events, users and the instance have', async () => {
  const { name, target, message } = memberCreated;
  const about = (entity: AuditEvent['entity'], tier: Tier) =>
    recorded(administrator, { name, entity, target, message }, tier);
  assert.equal((await about({ type: 'Project', id: 34, path: 'forge/anvil' }, 'free')).length, 0);
  assert.equal((await about({ type: 'Group', id: 3, path: 'forge' }, 'free')).length, 0);
  assert.equal((await about({ type: 'Group', id: 3, path: 'forge' }, 'premium')).length, 1);
  assert.equal((await about({ type: 'User', id: 7, path: 'mira' }, 'free')).length, 1);
  const [instance] = await about(INSTANCE, 'free');
  assert.equal(instance?.entity_type, 'Gitlab::Audit::InstanceScope');
  assert.equal(instance.details.entity_path, 'gitlab_instance');
});

test('a changed attribute is described with its old and new value, without empty sides', () => {
  assert.deepEqual(describeChange('visibility_level', 'Private', 'Public'), {
    message: 'Changed visibility_level from Private to Public',
    details: { change: 'visibility_level', from: 'Private', to: 'Public' },
  });
  assert.deepEqual(describeChange('description', null, 'Tools'), {
    message: 'Changed description to Tools',
    details: { change: 'description', from: '', to: 'Tools' },
  });
  assert.deepEqual(describeChange('admin status', false, true), {
    message: 'Changed admin status from false to true',
    details: { change: 'admin status', from: 'false', to: 'true' },
  });
  assert.equal(describeChange('password').message, 'Changed password');
  assert.equal(JSON.stringify(describeChange('password').details), '{"change":"password"}');
});

async function recorded(by: Caller, event: AuditEvent, tier: Tier = 'ultimate') {
  await using database = await testDatabase({ clock: testClock('2026-03-05T09:00:00.401Z') });
  await database.transaction((tx) => recordAudit(tx, { actor: by, tier }, event));
  const rows = await database.reader
    .selectFrom('audit_events')
    .select(['author_id', 'entity_type', 'entity_id', 'event_name', 'details', 'created_at'])
    .execute();
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));
}
