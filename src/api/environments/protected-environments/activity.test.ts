import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, type Project, world } from '#test/support/world.ts';

// Audit events of protected environments (contract/activity.md Part 3).

interface Event {
  readonly event_name: string;
  readonly entity_type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const { newGroup, newProject } = await world();

const LEVELS = [{ access_level: 40 }];

/** The events since the place was made, the oldest first. */
async function eventsOf({ owner, at }: Group | Project): Promise<Event[]> {
  const { body } = await owner.get(`${at}/audit_events`);
  return body.filter(({ event_name }: Event) => event_name.includes('environment')).toReversed();
}

test('records protecting and unprotecting of projects and groups', async () => {
  const texts = {
    group: ['Protected environments of production tier', 'Unprotected environments of production tier'],
    project: ['Protected an environment: production', 'Unprotected an environment: production'],
  };
  const places = { group: await newGroup(), project: await newProject() };
  for (const kind of ['group', 'project'] as const) {
    const { owner, at } = places[kind];
    await expectSuccess(
      owner.post(`${at}/protected_environments`, { name: 'production', deploy_access_levels: LEVELS }),
    );
    await expectSuccess(owner.delete(`${at}/protected_environments/production`));
    const events = await eventsOf(places[kind]);
    assert.deepEqual(
      events.map(({ event_name }) => event_name),
      ['environment_protected', 'environment_unprotected'],
    );
    for (const { details } of events) {
      assert.deepEqual([details.target_type, details.target_details], ['ProtectedEnvironment', 'production']);
    }
    assert.deepEqual(
      events.map(({ details }) => details.custom_message),
      texts[kind],
    );
  }
});

test('a change is told by its parts, with the sides that there are', async () => {
  const project = await newProject();
  const { owner, at } = project;
  const url = `${at}/protected_environments`;
  const params = { name: 'staging', deploy_access_levels: [...LEVELS, ...LEVELS], approval_rules: LEVELS };
  const { body } = await expectSuccess(owner.post(url, params));
  const [one, other] = body.deploy_access_levels.map(({ id }: { id: number }) => id);
  await expectSuccess(
    owner.put(`${url}/staging`, {
      required_approval_count: 2,
      deploy_access_levels: [{ id: one, access_level: 30 }, { id: other, _destroy: true }, { access_level: 60 }],
      approval_rules: [{ id: body.approval_rules[0].id, required_approvals: 3 }],
    }),
  );
  const changes = (await eventsOf(project)).slice(1);
  const level = 'deploy access level';
  assert.deepEqual(
    changes.map(({ event_name, details: { change, from, to } }) => [event_name, change, from, to]),
    [
      ['protected_environment_updated', 'required_approval_count', '0', '2'],
      ['protected_environment_deploy_access_level_updated', level, 'Maintainers', 'Developers + Maintainers'],
      ['protected_environment_deploy_access_level_deleted', level, 'Maintainers', undefined],
      ['protected_environment_deploy_access_level_added', level, undefined, 'Administrators'],
      [
        'protected_environment_approval_rule_updated',
        'approval rule',
        'Maintainers (required approvals: 1)',
        'Maintainers (required approvals: 3)',
      ],
    ],
  );
  assert.equal(changes[1]?.details.custom_message, 'Changed deploy access level of staging');
});

test('records no event for a rejected update or one without changes', async () => {
  const group = await newGroup();
  const url = `${group.at}/protected_environments`;
  await expectSuccess(group.owner.post(url, { name: 'testing', deploy_access_levels: LEVELS }));
  await expectSuccess(group.owner.put(`${url}/testing`, { required_approval_count: 0 }));
  await group.owner.put(`${url}/testing`, { required_approval_count: 9 });
  assert.equal((await eventsOf(group)).length, 1);
});
