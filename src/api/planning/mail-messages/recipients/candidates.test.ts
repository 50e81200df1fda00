import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newIssue } from '#api/planning/notes/fixtures.testing.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { loadNewMailSubject } from '../subjects/subject.ts';
import { loadCandidateBatch } from './candidates.ts';

const { server, newProject, newGroup } = await world();
const { database, git } = server.services;
const { reader } = database;

test('returns each candidate once with all involvements for any batch size', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group, with: ['guest', 'reporter', 'developer'] });
  const watch = (of: typeof group.owner, at: string) =>
    expectSuccess(of.put(`${at}/notification_settings`, { level: 'watch' }));
  const issue = await newIssue(project, { assignee_ids: [project.developer.id] });
  await watch(project.developer, project.at);
  await watch(project.reporter, '');
  await watch(await group.addMember('guest'), group.at);
  await expectSuccess(project.guest.post(issue.notes, { body: 'Hm' }));
  await expectSuccess((await project.addMember('guest')).post(`${issue.at}/subscribe`));
  const about = { type: 'Issue', id: issue.id } as const;
  const subject = (await loadNewMailSubject(reader, git, { event: 'close_issue', about }))!;
  const inPiecesOf = async (most: number) => {
    const all: [number, string[]][] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { involvements, lastId } = await loadCandidateBatch(reader, subject, after, most);
      assert.ok(involvements.size <= most);
      all.push(...[...involvements].map(([id, some]): [number, string[]] => [id, [...some].sort()]));
      after = lastId;
    }
    return all;
  };
  const whole = await inPiecesOf(500);
  assert.equal(whole.length, 6);
  assert.deepEqual(new Map(whole).get(project.developer.id), ['participating', 'watch']);
  for (const most of [1, 2, 3, 6]) assert.deepEqual(await inPiecesOf(most), whole, String(most));
});
