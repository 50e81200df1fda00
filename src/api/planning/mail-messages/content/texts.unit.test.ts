import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryDelayAfter } from '../delivery/deliver.ts';
import { composeText } from './texts.ts';

type About = Parameters<typeof composeText>[0];

const about = (content: string, change: Partial<About> = {}): About => {
  const place = { name: 'Anvil', fullPath: 'forge/anvil', group: null } as About['container'];
  const told = { resource: { type: 'Issue', id: 88 }, place, iid: 3, title: 'Retry loop spins' };
  return {
    event: 'new_issue',
    container: place,
    noteable: told as unknown as About['noteable'],
    pipeline: null,
    alert: null,
    actor: 'Mira Holt',
    note: null,
    content,
    assignedNames: [],
    ...change,
  };
};

test('states actor, action and URL', () => {
  assert.deepEqual(composeText(about('Seen twice')), {
    lead: 'Mira Holt created issue #3: Retry loop spins',
    content: 'Seen twice',
    path: '/forge/anvil/-/issues/3',
    subject: 'Anvil | Retry loop spins (#3)',
  });
  const note = { id: 501 };
  assert.deepEqual(composeText(about('On two hosts', { event: 'new_note', note })), {
    lead: 'Mira Holt commented on issue #3:',
    content: 'On two hosts',
    path: '/forge/anvil/-/issues/3#note_501',
    subject: 'Re: Anvil | Retry loop spins (#3)',
  });
  const given = composeText(about('', { event: 'reassign_issue', assignedNames: ['Otto', 'Ada'] }));
  assert.equal(given.lead, 'Mira Holt assigned issue #3 to Otto, Ada.');
  assert.equal(given.content, '', 'what it says has been told before');
});

test('truncates a very long text at the end of a word with a notice', () => {
  const { content } = composeText(about('word '.repeat(200_000)));
  assert.ok(Buffer.byteLength(content) < 65_700, String(content.length));
  assert.match(content, /word\n\n\[The rest of this text is left out/);
  const faces = composeText(about('😀'.repeat(100_000))).content;
  assert.ok(!faces.includes('\ufffd') && faces.isWellFormed());
  const short = 'a'.repeat(65_536);
  assert.equal(composeText(about(short)).content, short);
});

test('increases the retry delay after each attempt, with 20 % jitter', () => {
  const minutes = (attempts: number, random: number) => retryDelayAfter(attempts, random) / 60_000;
  const rests = [1, 5, 15, 60, 240];
  for (const [index, rest] of rests.entries()) {
    for (const [random, factor] of [
      [0, 0.8],
      [0.5, 1],
      [1, 1.2],
    ] as const) {
      assert.ok(Math.abs(minutes(index + 1, random) - rest * factor) < 0.001, `${rest} ${factor}`);
    }
  }
});

test('states ref and outcome of a pipeline', () => {
  const pipeline = { id: 90, ref: 'main' } as About['pipeline'];
  const said = (['failed_pipeline', 'fixed_pipeline', 'success_pipeline'] as const).map((event) =>
    composeText(about('', { event, noteable: null, pipeline })),
  );
  assert.deepEqual(
    said.map(({ subject, lead }) => [subject, lead]),
    [
      ['Anvil | Failed pipeline for main (#90)', 'Pipeline #90 of main has failed.'],
      [
        'Anvil | Fixed pipeline for main (#90)',
        'Pipeline #90 of main has succeeded: what had failed before is mended.',
      ],
      ['Anvil | Successful pipeline for main (#90)', 'Pipeline #90 of main has succeeded.'],
    ],
  );
  assert.ok(said[0]?.path.endsWith('/-/pipelines/90'));
});
