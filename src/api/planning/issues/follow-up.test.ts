import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createThread } from '../discussions/fixtures.testing.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

async function mergeRequestWithThreads() {
  const scene = await world({ project: { visibility: 'public', readme: true, with: ['developer', 'guest'] } });
  const mergeRequest = await newMergeRequest(scene.project, { title: 'Add a retry' });
  const [first, second] = [
    await createThread(scene.developer, mergeRequest, { body: 'It spins\n/close' }),
    await createThread(scene.owner, mergeRequest, { body: 'Why?' }),
  ];
  const createFollowUp = (params = {}, by = scene.developer) =>
    by.post(`${scene.project.at}/issues`, {
      title: 'Stop the loop',
      merge_request_to_resolve_discussions_of: mergeRequest.iid,
      ...params,
    });
  return { ...scene, mergeRequest, first, second, createFollowUp };
}

interface NoteJson {
  readonly id: number;
  readonly body: string;
  readonly system: boolean;
  readonly resolved?: boolean;
}

test('creates an issue that lists the unresolved threads of a merge request and resolves them', async () => {
  const { mergeRequest, owner, developer, first, second, createFollowUp } = await mergeRequestWithThreads();
  await expectSuccess(owner.post(`${second.at}/notes`, { body: 'Yes' }));
  const { body: issue } = await expectSuccess(createFollowUp());
  const quote = (id: number) => `[discussion](${mergeRequest.web_url}#note_${id}): `;
  assert.deepEqual([issue.title, issue.state], ['Stop the loop', 'opened']);
  assert.equal(
    issue.description,
    [
      `The following discussions from !${mergeRequest.iid} should be addressed:`,
      `- [ ] @${developer.username} started a ${quote(first.thread.notes[0].id)}`,
      '    > It spins',
      `- [ ] @${owner.username} started a ${quote(second.thread.notes[0].id)} (+1 comment)`,
      '    > Why?',
    ].join('\n\n'),
  );
  const notesOf = async (at: string): Promise<NoteJson[]> => (await developer.get(at)).body.notes;
  const reply = `created #${issue.iid} to continue this discussion`;
  for (const [at, resolved] of [
    [first.at, [true]],
    [second.at, [true, true]],
  ] as const) {
    const notes = await notesOf(at);
    assert.deepEqual(
      notes.filter(({ system }) => !system).map((note) => note.resolved),
      resolved,
    );
    assert.deepEqual([notes.at(-1)!.body, notes.at(-1)!.system], [reply, true]);
  }
  const bodies = (await owner.get(`${mergeRequest.at}/notes`)).body.map(({ body }: NoteJson) => body);
  assert.equal(bodies.filter((body: string) => body === 'resolved all threads').length, 1);
});

test('resolves one thread and keeps a requested description', async () => {
  const { developer, first, second, createFollowUp } = await mergeRequestWithThreads();
  const { body } = await expectSuccess(
    createFollowUp({ discussion_to_resolve: second.thread.id, description: 'Later' }),
  );
  const isResolved = async (at: string) => (await developer.get(at)).body.notes[0].resolved;
  assert.deepEqual([body.description, await isResolved(first.at), await isResolved(second.at)], ['Later', false, true]);
});

test('creates the issue without resolving what the caller may not resolve or see', async () => {
  const { project, guest, developer, mergeRequest, first, createFollowUp } = await mergeRequestWithThreads();
  const isResolved = async () => (await developer.get(first.at)).body.notes[0].resolved;
  const { body: byGuest } = await expectSuccess(createFollowUp({}, guest));
  assert.match(byGuest.description, /^The following discussions from !1 should be addressed:/);
  const { body: unknown } = await expectSuccess(createFollowUp({ merge_request_to_resolve_discussions_of: 99 }));
  assert.equal(unknown.description, null);
  const { body: noThread } = await expectSuccess(createFollowUp({ discussion_to_resolve: 'x' }));
  const text = `There are no unresolved discussions. Review the conversation in !${mergeRequest.iid}`;
  assert.deepEqual([noThread.description, await isResolved()], [text, false]);
  await expectSuccess(project.owner.put(project.at, { merge_requests_access_level: 'private' }));
  const outsider = await (await world({})).user();
  const { body: hidden } = await expectSuccess(createFollowUp({}, outsider));
  assert.deepEqual([hidden.description, await isResolved()], [null, false]);
});

test('rejects a follow-up whose description would be too long, and resolves nothing', async () => {
  const { developer, mergeRequest, first, createFollowUp } = await mergeRequestWithThreads();
  for (let count = 0; count < 2; count++) await createThread(developer, mergeRequest, { body: 'x'.repeat(600 * 1024) });
  const { status, body } = await createFollowUp();
  assert.deepEqual(
    [status, body],
    [400, { message: { description: ['is too long (1.17 MB). The maximum size is 1 MB.'] } }],
  );
  assert.equal((await developer.get(first.at)).body.notes[0].resolved, false);
});
