import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { dripping } from '#test/support/slow-request.ts';
import { type Caller, done, type Project, world } from '#test/support/world.ts';

// A fetch is answered of what the repository holds when its body has ended, which may be long after its beginning.

const { project, owner, developer, server, clock } = await world({ project: { readme: true, with: ['developer'] } });

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const REFS = `${line('command=ls-refs\n')}${line('object-format=sha1')}0001${line('peel\n')}${line('ref-prefix refs/\n')}0000`;

/** Asks for all refs, one half of it now. */
function asking(caller: Caller, { path_with_namespace }: Project) {
  const headers = { ...basic(caller), 'Git-Protocol': 'version=2' };
  const path = `/${path_with_namespace}.git/git-upload-pack`;
  return dripping(server, 'POST', path, { headers, body: Buffer.from(REFS) });
}

test('a fetch whose sender is no member any more is told nothing, and one of a member is answered', async () => {
  const [lost, kept] = [await asking(developer, project), await asking(owner, project)];
  await done(owner.delete(`${project.at}/members/${developer.id}`));
  await done(owner.post(`${project.repository}/branches`, { branch: 'later', ref: 'main' }));
  clock.advance(5);
  assert.equal((await lost.finish()).text, '');
  const { status, text } = await kept.finish();
  assert.equal(status, 200);
  assert.match(text, /refs\/heads\/later/);
});
