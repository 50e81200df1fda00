import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// Audit events of protection rules (contract/activity.md Part 3).

interface Event {
  readonly event_name: string;
  readonly author_id: number;
  readonly details: Readonly<Record<string, unknown>>;
}

const { newProject, newGroup } = await world();

async function listEvents({ owner, at }: { owner: { get(path: string): Promise<{ body: Event[] }> }; at: string }) {
  const { body } = await owner.get(`${at}/audit_events`);
  return body.filter(({ event_name }) => event_name.startsWith('protected_branch'));
}

test('records id, levels and flags of created and deleted rules', async () => {
  const project = await newProject({ readme: true });
  const { owner, at } = project;
  const member = await project.addMember('developer');
  const params = { name: 'rel/*', push_access_level: 0, allowed_to_merge: [{ user_id: member.id }, {}] };
  const { body: rule } = await expectSuccess(
    owner.post(`${at}/protected_branches`, { ...params, allow_force_push: true }),
  );
  await expectSuccess(owner.delete(`${at}/protected_branches/rel%2F*`));
  const [removed, created] = await listEvents(project);
  const levels = {
    target_id: rule.id,
    target_type: 'ProtectedBranch',
    target_details: 'rel/*',
    push_access_levels: ['No one'],
    merge_access_levels: [`Name of ${member.username}`, 'Maintainers'],
    allow_force_push: true,
    code_owner_approval_required: false,
  };
  for (const event of [removed, created]) {
    const retained = Object.fromEntries(Object.keys(levels).map((key) => [key, event?.details[key]]));
    assert.deepEqual(retained, levels);
  }
  assert.deepEqual(
    [removed?.details.custom_message, created?.details.custom_message],
    [
      'Unprotected branch',
      `Added protected branch with [allowed to push: ["No one"], allowed to merge: ["Name of ${member.username}", "Maintainers"], allow force push: true, code owner approval required: false]`,
    ],
  );
});

test("attributes the automatic rule of a default branch to the project's creator", async () => {
  const group = await newGroup();
  const creator = await group.addMember('maintainer');
  const project = await newProject({ owner: creator, in: { id: group.id } });
  const file = { branch: 'main', content: 'a', commit_message: 'm' };
  await expectSuccess(group.owner.post(`${project.repository}/files/a`, file));
  const [event, ...others] = await listEvents({ owner: group.owner, at: project.at });
  assert.deepEqual(others, []);
  assert.deepEqual([event?.event_name, event?.author_id], ['protected_branch_created', creator.id]);
  const { target_details, push_access_levels, merge_access_levels, ip_address } = event?.details ?? {};
  assert.deepEqual(
    [target_details, push_access_levels, merge_access_levels, ip_address],
    ['main', ['Maintainers'], ['Maintainers'], null],
  );
});
