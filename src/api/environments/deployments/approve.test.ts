import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { createProtection, type NewProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { findDeployment } from '#domain/deployments.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { type Caller, expectSuccess, type Project, type TestResponse, world } from '#test/support/world.ts';
import { submitApproval as approveOf } from './changes.ts';
import { reportDeployment } from './fixtures.testing.ts';

const here = await world();
const { newProject, newGroup, user, anonymous, root, server } = here;
const { database, runUnitOfWork } = server.services;

const said = ({ status, body }: TestResponse) => [status, body];
const refusal = (message: unknown) => [400, { message }];

const protect = (project: Project, protection: NewProtection, name = 'production') =>
  database.transaction((tx) =>
    createProtection(tx, { project_id: project.id, group_id: null }, name, {
      levels: [{ access_level: 30 }],
      ...protection,
    }),
  );

/** A project with an environment protected so, and a deployment there by a developer. */
async function awaited(protection: NewProtection) {
  const project = await newProject({ readme: true, with: ['guest', 'reporter', 'developer', 'maintainer'] });
  await protect(project, protection);
  const { id } = (await expectSuccess(reportDeployment(project, {}, project.developer))).body;
  const at = `${project.at}/deployments/${id}`;
  const approve = (caller: Caller, params: object = {}) =>
    caller.post(`${at}/approval`, { status: 'approved', ...params });
  const read = async () => (await expectSuccess(project.owner.get(at))).body;
  return { project, at, approve, read };
}

test('shows approvals by rule and the pending count', async () => {
  const { project, approve, read } = await awaited({ rules: [{ access_level: 40, required_approvals: 2 }] });
  const before = await read();
  assert.deepEqual([before.pending_approval_count, before.approvals], [2, []]);
  const answer = await approve(project.maintainer, { comment: 'LGTM' });
  const { user: by, created_at, ...approval } = answer.body;
  assert.deepEqual(
    [answer.status, by.id, approval],
    [201, project.maintainer.id, { status: 'approved', comment: 'LGTM' }],
  );
  const { pending_approval_count, approvals, approval_summary } = await read();
  assert.deepEqual([pending_approval_count, approvals], [1, [answer.body]]);
  const [{ id, ...rule }] = approval_summary.rules;
  assert.deepEqual(rule, {
    user_id: null,
    group_id: null,
    access_level: 40,
    access_level_description: 'Maintainers',
    required_approvals: 2,
    group_inheritance_type: 0,
    deployment_approvals: [answer.body],
  });
});

test('keeps a repeated decision and replaces a different one with its comment', async () => {
  const { project, approve, read } = await awaited({ rules: [{ access_level: 40, required_approvals: 2 }] });
  const first = await approve(project.maintainer, { comment: 'Fine' });
  const again = await approve(project.maintainer, { comment: 'Better' });
  assert.deepEqual(said(again), [201, first.body]);
  const rejected = await approve(project.maintainer, { status: 'rejected' });
  assert.deepEqual([rejected.body.status, rejected.body.comment], ['rejected', null]);
  const { pending_approval_count, approvals, status } = await read();
  assert.deepEqual([pending_approval_count, approvals.length, status], [2, 1, 'running']);
});

test('counts one approval per user and rule', async () => {
  const group = await newGroup({ name: 'Quality people' });
  const { project, approve, read } = await awaited({ rules: [{ access_level: 40 }, { group_id: group.id }] });
  await group.addMember('guest', project.maintainer);
  await expectSuccess(approve(project.maintainer));
  assert.equal((await read()).pending_approval_count, 1);
  const none =
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.';
  assert.deepEqual(said(await approve(project.maintainer, { represented_as: 'quality' })), refusal(none));
  await expectSuccess(approve(project.maintainer, { represented_as: 'Quality' }));
  const { pending_approval_count, approvals, approval_summary } = await read();
  assert.deepEqual([pending_approval_count, approvals.length], [0, 2]);
  assert.deepEqual(
    approval_summary.rules.map((rule: { deployment_approvals: unknown[] }) => rule.deployment_approvals.length),
    [1, 1],
  );
});

test('lets a Reporter in an approver group approve', async () => {
  const group = await newGroup();
  const { project, approve } = await awaited({ rules: [{ group_id: group.id }] });
  const text = "You don't have permission to approve this deployment. Contact the project or group owner for help.";
  assert.deepEqual(said(await approve(project.reporter)), refusal(text));
  assert.deepEqual(said(await approve(project.maintainer, { represented_as: 'x' })), refusal(text));
  await group.addMember('guest', project.reporter);
  assert.equal((await approve(project.reporter)).status, 201);
});

test('forbids approving the own deployment unless allowed by the project, but allows rejecting it', async () => {
  const { project, approve } = await awaited({ rules: [{ access_level: 30, required_approvals: 2 }] });
  const text =
    'You cannot approve your own deployment. This configuration can be adjusted in the protected environment settings.';
  assert.deepEqual(said(await approve(project.developer)), refusal(text));
  assert.equal((await approve(project.developer, { status: 'rejected' })).status, 201);
  const { id } = (await reportDeployment(project, {}, root)).body;
  const own = await root.post(`${project.at}/deployments/${id}/approval`, { status: 'approved' });
  assert.deepEqual(said(own), refusal(text));
  await expectSuccess(project.owner.put(project.at, { allow_pipeline_trigger_approve_deployment: true }));
  assert.equal((await approve(project.developer)).status, 201);
});

test('accepts approvals of every user who may deploy for a plain count', async () => {
  const { project, approve, read } = await awaited({ requiredApprovalCount: 2 });
  assert.equal((await read()).pending_approval_count, 2);
  const text = "You don't have permission to approve this deployment. Contact the project or group owner for help.";
  assert.deepEqual(said(await approve(project.reporter)), refusal(text));
  await expectSuccess(approve(project.maintainer));
  const { pending_approval_count, approvals, approval_summary } = await read();
  assert.deepEqual([pending_approval_count, approvals.length, approval_summary], [1, 1, { rules: [] }]);
  await expectSuccess(approve(project.owner));
  assert.deepEqual(said(await approve(root)), refusal('This deployment is not waiting for approvals.'));
});

test('applies all rules of several protections, or the largest count', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group, readme: true, with: ['developer'] });
  await protect(project, { requiredApprovalCount: 1 });
  await database.transaction((tx) =>
    createProtection(tx, { project_id: null, group_id: group.id }, 'production', {
      levels: [{ access_level: 30 }],
      requiredApprovalCount: 3,
    }),
  );
  const { id } = (await expectSuccess(reportDeployment(project, {}, group.owner))).body;
  const pending = async () => (await group.owner.get(`${project.at}/deployments/${id}`)).body.pending_approval_count;
  assert.equal(await pending(), 3);
  await protect(project, { rules: [{ access_level: 40, required_approvals: 2 }] }, 'staging');
  await database.transaction((tx) =>
    createProtection(tx, { project_id: null, group_id: group.id }, 'staging', { rules: [{ access_level: 40 }] }),
  );
  const other = (await reportDeployment(project, { environment: 'staging' }, root)).body;
  assert.deepEqual([other.pending_approval_count, other.approval_summary.rules.length], [3, 2]);
});

test('rejects approvals without protection or required approvals', async () => {
  const { approve, project } = await awaited({});
  const unset = 'Deployment approvals is not configured for this environment.';
  assert.deepEqual(said(await approve(project.maintainer)), refusal(unset));
  const { id } = (await reportDeployment(project, { environment: 'open' })).body;
  const at = `${project.at}/deployments/${id}/approval`;
  assert.deepEqual(
    said(await project.maintainer.post(at, { status: 'approved' })),
    refusal('This environment is not protected.'),
  );
});

test('validates status and comment', async () => {
  const { project, approve, at, read } = await awaited({ rules: [{ access_level: 40 }] });
  const missing = await project.maintainer.post(`${at}/approval`, {});
  assert.deepEqual(missing.body, { error: 'status is missing, status does not have a valid value' });
  const odd = await approve(project.maintainer, { status: 'maybe' });
  assert.deepEqual(odd.body, { error: 'status does not have a valid value' });
  const long = await approve(project.maintainer, { comment: 'x'.repeat(256) });
  assert.deepEqual(said(long), refusal(['Comment is too long (maximum is 255 characters)']));
  assert.deepEqual((await read()).approvals, []);
  assert.equal((await approve(project.maintainer, { comment: 'x'.repeat(255) })).status, 201);
});

test('requires read access to the deployment', async () => {
  const { project, approve } = await awaited({ rules: [{ access_level: 40 }] });
  const statusOf = async (caller: Caller) => (await approve(caller)).status;
  const callers = [anonymous, await user(), project.guest];
  assert.deepEqual(await Promise.all(callers.map(statusOf)), [401, 404, 403]);
  const unknown = await project.reporter.post(`${project.at}/deployments/999999/approval`, { status: 'approved' });
  assert.equal(unknown.status, 404);
});

test('keeps approvals of a deleted rule without counting them', async () => {
  const { project, approve, read } = await awaited({
    rules: [{ access_level: 40, required_approvals: 2 }],
    requiredApprovalCount: 1,
  });
  await expectSuccess(approve(project.maintainer));
  await database.transaction((tx) =>
    tx.deleteFrom('protected_environment_approval_rules').where('access_level', '=', 40).execute(),
  );
  const { pending_approval_count, approvals, approval_summary } = await read();
  assert.deepEqual([pending_approval_count, approvals.length, approval_summary], [1, 1, { rules: [] }]);
});

test('counts concurrent approvals once per user', async () => {
  const { project, approve, read } = await awaited({ rules: [{ access_level: 40, required_approvals: 5 }] });
  const callers = [project.maintainer, project.owner, root];
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => approve(callers[n % 3]!)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  const { pending_approval_count, approvals } = await read();
  assert.deepEqual([pending_approval_count, approvals.length], [2, 3]);
});

test('returns 404 if the deployment is deleted concurrently', async () => {
  const { project, at } = await awaited({ rules: [{ access_level: 40 }] });
  const id = Number(at.split('/').at(-1));
  const deployment = await findDeployment(database.reader, project.id, id);
  await expectSuccess(project.owner.put(at, { status: 'failed' }));
  await expectSuccess(project.owner.delete(at));
  const by = (await loadCaller(database.reader, project.maintainer.id, null)) as SignedInCaller;
  const place = await findProject(database.reader, by, String(project.id));
  const outcome = await runUnitOfWork(by, (uow) => approveOf(uow, place!, deployment!, { status: 'approved' }));
  assert.equal('code' in outcome && outcome.code, 'notFound');
});

test('records approvals in the audit log', async () => {
  const { project, approve } = await awaited({ rules: [{ access_level: 40, required_approvals: 2 }] });
  await expectSuccess(approve(project.maintainer, { comment: 'LGTM' }));
  await expectSuccess(approve(project.maintainer));
  await expectSuccess(approve(project.maintainer, { status: 'rejected' }));
  const { body } = await project.owner.get(`${project.at}/audit_events?per_page=2`);
  const told = body.map(({ details }: { details: Record<string, unknown> }) => [
    details.custom_message,
    details.target_type,
    details.target_details,
    details.comment,
  ]);
  assert.deepEqual(told, [
    ['Rejected deployment with iid 1 to production', 'Deployment', 'production', null],
    ['Approved deployment with iid 1 to production', 'Deployment', 'production', 'LGTM'],
  ]);
});

test('ignores protections on the free tier', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const project = await free.newProject({ readme: true, with: ['developer', 'maintainer'] });
  await free.server.services.database.transaction((tx) =>
    createProtection(tx, { project_id: project.id, group_id: null }, 'production', { rules: [{ access_level: 40 }] }),
  );
  const made = await reportDeployment(project, {}, project.developer);
  assert.deepEqual([made.status, made.body.pending_approval_count], [201, 0]);
  const at = `${project.at}/deployments/${made.body.id}/approval`;
  const answer = await project.maintainer.post(at, { status: 'approved' });
  assert.deepEqual(said(answer), refusal('This environment is not protected.'));
});
