import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContentPlace, resolveContentUrl, toAnchor } from './content-links.ts';
import { toReferencePath } from './reference-links.ts';

const inFile: ContentPlace = {
  origin: 'https://hearth.test',
  basePath: '/forge',
  project: 'group/stove',
  ref: 'fix/1',
  directory: 'docs/a b',
};
const ROOT = 'https://hearth.test/forge';

const link = (written: string, place = inFile) => resolveContentUrl(written, 'link', place)?.url ?? null;
const image = (written: string, place = inFile) => resolveContentUrl(written, 'image', place)?.url ?? null;

test('relative addresses lead to files of the repository', () => {
  assert.equal(link('guide.md#top'), `${ROOT}/group/stove/-/blob/fix/1/docs/a%20b/guide.md#top`);
  assert.equal(link('../c.md'), `${ROOT}/group/stove/-/blob/fix/1/docs/c.md`);
  assert.equal(link('/README.md'), `${ROOT}/group/stove/-/blob/fix/1/README.md`);
  assert.equal(image('a.png'), `${ROOT}/group/stove/-/raw/fix/1/docs/a%20b/a.png`);
  assert.equal(image('./a.png', { ...inFile, directory: '' }), `${ROOT}/group/stove/-/raw/fix/1/a.png`);
});

test('addresses of pages, uploads and other servers stay what they are', () => {
  assert.equal(link('/group/stove/-/issues/1'), `${ROOT}/group/stove/-/issues/1`);
  assert.equal(
    image(`/uploads/${'0a'.repeat(16)}/a.png`),
    `${ROOT}/api/v4/projects/group%2Fstove/uploads/${'0a'.repeat(16)}/a.png`,
  );
  assert.equal(link('mailto:a@b.test'), 'mailto:a@b.test');
  assert.equal(link('explore', { ...inFile, project: null }), `${ROOT}/explore`);
  for (const foreign of ['https://a.test/x', '//a.test/x', '\\\\a.test/x', '/\\a.test/x', 'http://hearth.test/'])
    assert.equal(resolveContentUrl(foreign, 'image', inFile)?.isForeign, true, foreign);
  for (const local of ['https://hearth.test/x', 'x', '/x', '#x', '?x', ''])
    assert.equal(resolveContentUrl(local, 'image', inFile)?.isForeign, false, local);
});

test('other schemes lead nowhere', () => {
  for (const written of [
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'blob:x',
    'vbscript:x',
    'http://[',
  ])
    assert.equal(link(written), null, written);
});

test('anchors have a prefix and are those of headings', () => {
  assert.equal(link('#Install-It'), '#user-content-install-it');
  assert.equal(toAnchor('  Install it: now! (v1.0) '), 'install-it-now-v10');
  assert.equal(toAnchor('Öfen <b>'), 'öfen-b');
});

test('references lead to pages of the project or of the path that they name', () => {
  const at = (
    kind: Parameters<typeof toReferencePath>[0]['kind'],
    path: string,
    value: string,
    project: string | null = 'a/b/c',
  ) => toReferencePath({ kind, path, value }, project);
  assert.equal(at('issue', '', '1'), '/a/b/c/-/issues/1');
  assert.equal(at('merge_request', 'x/y', '2'), '/x/y/-/merge_requests/2');
  assert.equal(at('epic', '', '3'), '/groups/a/b/-/epics/3');
  assert.equal(at('epic', 'x', '3'), '/groups/x/-/epics/3');
  assert.equal(at('milestone', '', '7'), '/a/b/c/-/milestones/7');
  assert.equal(at('milestone', '', 'v1 & 2'), '/a/b/c/-/milestones?search=v1%20%26%202');
  assert.equal(at('label', '', 'kind::bug'), '/a/b/c/-/issues?labels=kind%3A%3Abug');
  assert.equal(at('commit', '', '1a2b3c4'), '/a/b/c/-/commit/1a2b3c4');
  assert.equal(at('user', '', 'mira'), '/mira');
  for (const nothing of [
    at('issue', 'step', '1'),
    at('issue', '../x', '1'),
    at('issue', '', '1', null),
    at('label', '', '5'),
    at('user', '', 'all'),
  ])
    assert.equal(nothing, null);
});
