import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getRetryDelayMs } from '../delivery/deliver.ts';
import { composeText } from './texts.ts';

type MailTextInput = Parameters<typeof composeText>[0];

const textInput = (content: string, overrides: Partial<MailTextInput> = {}): MailTextInput => {
  const container = { name: 'Anvil', fullPath: 'forge/anvil', group: null } as MailTextInput['container'];
  const noteable = { resource: { type: 'Issue', id: 88 }, place: container, iid: 3, title: 'Retry loop spins' };
  return {
    event: 'new_issue',
    container,
    noteable: noteable as unknown as MailTextInput['noteable'],
    commit: null,
    pipeline: null,
    alert: null,
    actor: 'Mira Holt',
    note: null,
    content,
    assignedNames: [],
    ...overrides,
  };
};

test('states actor, action and URL', () => {
  assert.deepEqual(composeText(textInput('Seen twice')), {
    lead: 'Mira Holt created issue #3: Retry loop spins',
    content: 'Seen twice',
    path: '/forge/anvil/-/issues/3',
    subject: 'Anvil | Retry loop spins (#3)',
  });
  const note = { id: 501 };
  assert.deepEqual(composeText(textInput('On two hosts', { event: 'new_note', note })), {
    lead: 'Mira Holt commented on issue #3:',
    content: 'On two hosts',
    path: '/forge/anvil/-/issues/3#note_501',
    subject: 'Re: Anvil | Retry loop spins (#3)',
  });
  const assigned = composeText(textInput('', { event: 'reassign_issue', assignedNames: ['Otto', 'Ada'] }));
  assert.equal(assigned.lead, 'Mira Holt assigned issue #3 to Otto, Ada.');
  assert.equal(assigned.content, '', 'omits the text that an earlier mail contained');
});

test('truncates a very long text at the end of a word with a notice', () => {
  const { content } = composeText(textInput('word '.repeat(200_000)));
  assert.ok(Buffer.byteLength(content) < 65_700, String(content.length));
  assert.match(content, /word\n\n\[The rest of this text is left out/);
  const emojis = composeText(textInput('😀'.repeat(100_000))).content;
  assert.ok(!emojis.includes('\ufffd') && emojis.isWellFormed());
  const short = 'a'.repeat(65_536);
  assert.equal(composeText(textInput(short)).content, short);
});

test('increases the retry delay after each attempt, with 20 % jitter', () => {
  const minutes = (attempts: number, random: number) => getRetryDelayMs(attempts, random) / 60_000;
  const delays = [1, 5, 15, 60, 240];
  for (const [index, delay] of delays.entries()) {
    for (const [random, factor] of [
      [0, 0.8],
      [0.5, 1],
      [1, 1.2],
    ] as const) {
      assert.ok(Math.abs(minutes(index + 1, random) - delay * factor) < 0.001, `${delay} ${factor}`);
    }
  }
});

test('states ref and outcome of a pipeline', () => {
  const pipeline = { id: 90, ref: 'main' } as MailTextInput['pipeline'];
  const texts = (['failed_pipeline', 'fixed_pipeline', 'success_pipeline'] as const).map((event) =>
    composeText(textInput('', { event, noteable: null, pipeline })),
  );
  assert.deepEqual(
    texts.map(({ subject, lead }) => [subject, lead]),
    [
      ['Anvil | Failed pipeline for main (#90)', 'Pipeline #90 of main has failed.'],
      ['Anvil | Fixed pipeline for main (#90)', 'Pipeline #90 of main has succeeded after a failure.'],
      ['Anvil | Successful pipeline for main (#90)', 'Pipeline #90 of main has succeeded.'],
    ],
  );
  assert.ok(texts[0]?.path.endsWith('/-/pipelines/90'));
});
