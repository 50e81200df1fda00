import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { startPartialRequest } from '#test/support/slow-request.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';

// A fetch is answered from the repository's state at the end of its body, which may arrive long after the start.

const { project, owner, developer, server, clock } = await world({ project: { readme: true, with: ['developer'] } });

const pktLine = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const REFS = `${pktLine('command=ls-refs\n')}${pktLine('object-format=sha1')}0001${pktLine('peel\n')}${pktLine('ref-prefix refs/\n')}0000`;

/** Requests all refs and sends the first half of the body. */
function startFetch(caller: Caller, { path_with_namespace }: Project) {
  const headers = { ...basic(caller), 'Git-Protocol': 'version=2' };
  const path = `/${path_with_namespace}.git/git-upload-pack`;
  return startPartialRequest(server, 'POST', path, { headers, body: Buffer.from(REFS) });
}

test('aborts a fetch if the caller has lost access meanwhile', async () => {
  const [lost, kept] = [await startFetch(developer, project), await startFetch(owner, project)];
  await expectSuccess(owner.delete(`${project.at}/members/${developer.id}`));
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'later', ref: 'main' }));
  clock.advance(5);
  assert.equal((await lost.finish()).text, '');
  const { status, text } = await kept.finish();
  assert.equal(status, 200);
  assert.match(text, /refs\/heads\/later/);
});
