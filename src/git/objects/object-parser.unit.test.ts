import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate, getMessageTitle, parseCommit, parseTag, parseTree } from './object-parser.ts';

const id = 'c'.repeat(40);

test('dates are formatted in their own offset', () => {
  const table: [number, string, string][] = [
    [1719571460, '+0000', '2024-06-28T10:44:20.000+00:00'],
    [1719571460, '-0000', '2024-06-28T10:44:20.000+00:00'],
    [1719571460, '-0700', '2024-06-28T03:44:20.000-07:00'],
    [1719571460, '+0545', '2024-06-28T16:29:20.000+05:45'],
    [0, '-0100', '1969-12-31T23:00:00.000-01:00'],
    [0, '+051800', '1970-01-01T00:00:00.000+00:00'],
    [0, '+9999', '1970-01-01T00:00:00.000+00:00'],
    [0, '', '1970-01-01T00:00:00.000+00:00'],
  ];
  for (const [seconds, offset, date] of table) assert.equal(formatDate(seconds, offset), date);
});

test('returns the valid parts of malformed commits', () => {
  const table: [text: string, name: string, email: string, seconds: number][] = [
    ['tree x\nauthor A B <a@b> 12 +0100\n\nm', 'A B', 'a@b', 12],
    ['author  <> 12 +0000\n\n', '', '', 12],
    ['author A <a@b>\n\n', 'A', 'a@b', 0],
    ['author A <a@b> 99999999999999999999 +0000\n\n', 'A', 'a@b', 0],
    ['author A <a@b> -5 +0000\n\n', 'A', 'a@b', 0],
    ['author A <a@b> x\n\n', 'A', 'a@b', 0],
    ['author nobody at all\n\n', 'nobody at all', '', 0],
    ['', '', '', 0],
  ];
  for (const [text, name, email, seconds] of table) {
    const { author } = parseCommit(id, Buffer.from(text));
    assert.deepEqual([author.name, author.email, author.seconds], [name, email, seconds], text);
  }
});

test('a signature in the headers is not part of the message', () => {
  const text =
    'tree t\nparent p1\nparent p2\ngpgsig -----BEGIN\n parent x\n \n -----END\nencoding nonsense\n\nHello\n\nparent y\n';
  const commit = parseCommit(id, Buffer.from(text));
  assert.deepEqual(commit.parentIds, ['p1', 'p2']);
  assert.equal(commit.message, 'Hello\n\nparent y\n');
});

test('the message of a tag excludes its signature', () => {
  const text = 'object o\ntype commit\ntag v1\n\nRelease\n-----BEGIN PGP SIGNATURE-----\nxyz\n';
  assert.deepEqual(parseTag(id, Buffer.from(text)), {
    id,
    name: 'v1',
    targetId: 'o',
    targetType: 'commit',
    tagger: null,
    message: 'Release',
  });
});

test('the title is the first line that is not blank', () => {
  const table = {
    'a\nb': 'a',
    'a\r\nb': 'a',
    '\n \n b c \nd': 'b c ',
    '': 'No commit message',
    ' \n\t': 'No commit message',
  };
  for (const [message, title] of Object.entries(table)) assert.equal(getMessageTitle(message), title);
});

test("returns git's canonical modes", () => {
  const table = {
    '100644': '100644',
    '100664': '100644',
    '100600': '100644',
    '100775': '100755',
    '100700': '100755',
    '100655': '100644',
    '120777': '120000',
    '40000': '040000',
    '040755': '040000',
    '160000': '160000',
  };
  for (const [mode, canonicalMode] of Object.entries(table)) {
    const [entry] = parseTree(Buffer.concat([Buffer.from(`${mode} a\0`), Buffer.alloc(20)]));
    assert.equal(entry?.mode, canonicalMode, mode);
  }
});

test('rejects a tree that ends within an entry', () => {
  assert.throws(() => parseTree(Buffer.from('100644 a\0short')), /ends within an entry/);
  assert.throws(() => parseTree(Buffer.from('100644')), /ends within an entry/);
});
