import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const day = 24 * 60 * 60;

/** The first event since then has no author and gives the reason. */
async function expectExpiryEvent(since: number): Promise<void> {
  const { server } = await world();
  const event = await server.services.database.reader
    .selectFrom('audit_events')
    .selectAll()
    .where('id', '>', since)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const { reason, system_event, custom_message, ip_address } = JSON.parse(event.details);
  assert.deepEqual(
    { author: event.author_id, reason, system_event, custom_message, ip_address },
    {
      author: -1,
      reason: 'access expired on 2026-01-04',
      system_event: true,
      custom_message: 'Membership expired on 2026-01-04',
      ip_address: null,
    },
  );
}

async function listMemberIds(groupId: number): Promise<number[]> {
  const { server } = await world();
  const rows = await server.services.database.reader
    .selectFrom('memberships')
    .select('user_id')
    .where('source_type', '=', 'group')
    .where('source_id', '=', groupId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.user_id);
}

test('ignores an expired membership, lists it, and removes it by the daily job', async () => {
  const { user, clock, runJobs, server } = await world();
  const { reader } = server.services.database;
  const [ada, bob] = [await user(), await user()];
  const project = await newProject({ owner: ada });
  const group = await newGroup({ owner: ada });
  for (const place of [project.at, group.at]) {
    await ada.post(`${place}/members`, { user_id: bob.id, access_level: 30, expires_at: '2026-01-04' });
  }
  await ada.post(`${group.at}/members`, { user_id: 1, access_level: 30, expires_at: '2026-01-05' });
  await runJobs();
  clock.advance(day);
  await runJobs();
  assert.equal((await bob.get(project.at)).status, 200);
  clock.advance(day);
  assert.equal((await bob.get(project.at)).status, 404);
  for (const path of ['members', 'members/all', 'users']) {
    assert.equal((await ada.get(`${project.at}/${path}`)).body.length, 2, path);
  }
  const mark = await markRecordedEvents(reader);
  await runJobs();
  assert.deepEqual(await listRecordedSince(reader, mark), ['expired Project', 'member_destroyed', 'member_destroyed']);
  await expectExpiryEvent(mark.audit_events);
  assert.deepEqual(await listMemberIds(group.id), [ada.id, 1]);
});

test('accepts an expiry date of today, which is listed and grants nothing', async () => {
  const { newGroup, newProject, user, clock } = await world();
  const bob = await user();
  const group = await newGroup();
  const project = await newProject({ in: group });
  const today = clock.now().toISOString().slice(0, 10);
  await project.addMember('developer', bob, { expires_at: today });
  assert.equal((await bob.get(project.at)).status, 404);
  const fetchResult = async () => (await group.owner.get(`${project.at}/members/all/${bob.id}`)).body;
  const direct = (await group.owner.get(`${project.at}/members/${bob.id}`)).body;
  assert.deepEqual([direct.access_level, direct.expires_at, (await fetchResult()).access_level], [30, today, 30]);
  await group.addMember('guest', bob);
  assert.equal((await bob.get(project.at)).status, 200);
  assert.deepEqual([(await fetchResult()).access_level, (await fetchResult()).expires_at], [10, null]);
});
