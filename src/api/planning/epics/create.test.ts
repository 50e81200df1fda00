import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '../../../../test/world.ts';

const { group, owner, planner, guest, reporter } = await world({
  group: { visibility: 'private', with: ['planner', 'guest', 'reporter'] },
});
const epics = `${group.at}/epics`;
const make = async (params = {}, at = epics) => (await done(owner.post(at, { title: 'Big', ...params }))).body;

test('an epic is shown whole to whoever makes it and whoever reads it', async () => {
  const made = await make({ description: 'D', color: '#abc', labels: 'bug' });
  const at = `${new URL(made.web_url).origin}/api/v4/groups/${group.id}`;
  const { created_at, updated_at, author, ...rest } = made;
  assert.equal(created_at, updated_at);
  assert.equal(author.id, owner.id);
  assert.deepEqual(rest, {
    id: made.id,
    work_item_id: made.id,
    iid: made.iid,
    color: '#aabbcc',
    text_color: '#1F1E24',
    group_id: group.id,
    parent_id: null,
    parent_iid: null,
    imported: false,
    imported_from: 'none',
    title: 'Big',
    description: 'D',
    confidential: false,
    ...NO_DATES,
    state: 'opened',
    web_edit_url: `/groups/${group.full_path}/-/epics/${made.iid}`,
    web_url: `${group.web_url}/-/epics/${made.iid}`,
    references: { short: `&${made.iid}`, relative: `&${made.iid}`, full: `${group.full_path}&${made.iid}` },
    closed_at: null,
    labels: ['bug'],
    upvotes: 0,
    downvotes: 0,
    _links: { self: `${at}/epics/${made.iid}`, epic_issues: `${at}/epics/${made.iid}/issues`, group: at, parent: null },
  });
  const { subscribed, ...read } = (await owner.get(`${epics}/${made.iid}`)).body;
  assert.deepEqual([subscribed, read], [true, made]);
  assert.equal((await guest.get(`${epics}/${made.iid}`)).body.subscribed, false);
});

const NO_DATES = {
  start_date: null,
  start_date_is_fixed: false,
  start_date_fixed: null,
  start_date_from_inherited_source: null,
  start_date_from_milestones: null,
  end_date: null,
  due_date: null,
  due_date_is_fixed: false,
  due_date_fixed: null,
  due_date_from_inherited_source: null,
  due_date_from_milestones: null,
};

test('members from Planner on make epics', async () => {
  assert.equal((await guest.post(epics, { title: 'T' })).status, 403);
  assert.equal((await planner.post(epics, { title: 'T' })).status, 201);
  assert.equal((await reporter.post(epics, { title: 'T' })).status, 201);
});
