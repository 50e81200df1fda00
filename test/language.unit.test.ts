import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '#http/server/routing/registry.ts';

// Checks the part of the project's language that a machine can check. `LIMITS` has the offences that are left, per rule: a
// number may only go down, and goes down in the commit that removes the offence.

const LIMITS = {
  summaries: 0,
  duplicateTypes: 0,
  exportedNames: 0,
  fileNames: 0,
  comments: 0,
  longSentences: 0,
} as const;

const root = join(import.meta.dirname, '..');

/** Words of private language: standard terms replace them (docs/glossary.md). */
const PRIVATE_WORDS = new Set(
  (
    'room rooms wing wings fact facts told tell tells wish wishes asked wanted asker askers thing things matter standing ' +
    'turn turns gate kept keeps remembered forget forgets piece pieces moment moments beside besides gathered gathering ' +
    'quiet leavers leaving upkeep mend mends mended said saying surroundings refused shown twin twins tally soon whom bar'
  ).split(' '),
);

/** Names of the API, of formats and of other programs. */
const ALLOWED_NAMES = new Set(['splitFrontMatter', 'parseFrontMatter', 'setFrontMatterTitle', 'front-matter.ts']);

/** First words of summaries: the verbs of CRUD, then those that the API itself uses. */
const CRUD = 'List Get Create Update Delete Add Remove Upload Download';
const API_VERBS =
  'Activate Append Approve Archive Assign Authorize Award Ban Block Cancel Check Cherry-pick Comment Compare Confirm Copy Deactivate ' +
  'Deny Erase Fetch Introspect Keep Lint Mark Merge Move Play Promote Protect Push Rebase Redirect Register Renew Reorder Repair Reply ' +
  'Report Request Reset Resolve Restore Retry Revert Revoke Rotate Schedule Send Set Sign Star Stop Subscribe Take Transfer Trigger ' +
  'Unapprove Unarchive Unassign Unban Unblock Unlock Unprotect Unstar Unsubscribe Verify';
const SUMMARY_VERBS = new Set(`${CRUD} ${API_VERBS}`.split(' '));

interface Source {
  readonly file: string;
  readonly text: string;
}

const sources: Source[] = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test(ing)?\.ts$|examples\.ts$/.test(file))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const EXPORTS =
  /^export (?:declare )?(?:async )?(?:const|function\*?|class|abstract class|interface|type|enum|let) (?:\[([^\]]+)\]|(\w+))/gm;
const TYPES = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

function isPrivate(name: string): boolean {
  return !ALLOWED_NAMES.has(name) && wordsOf(name).some((word) => PRIVATE_WORDS.has(word));
}

/** Fails when the number of offences differs from the limit: more is a step back, fewer has to be recorded. */
function atLimit(rule: keyof typeof LIMITS, offences: readonly string[]): void {
  const message = `${rule}: ${offences.length} offences, the limit is ${LIMITS[rule]}\n${offences.join('\n')}`;
  assert.equal(offences.length, LIMITS[rule], message);
}

test('summaries start with a verb of the API, in at most nine words without a full stop', () => {
  const wrong = createRegistry(resourceModules).endpoints.filter(({ summary }) => {
    const words = summary.split(' ');
    return !SUMMARY_VERBS.has((words[0] ?? '').replace(/,$/, '')) || words.length > 9 || summary.endsWith('.');
  });
  atLimit(
    'summaries',
    wrong.map(({ name, summary }) => `${name}: ${summary}`),
  );
});

test('no exported type name is declared in two files', () => {
  const files = new Map<string, string[]>();
  for (const { file, text } of sources) {
    for (const [, name = ''] of text.matchAll(TYPES)) files.set(name, [...(files.get(name) ?? []), file]);
  }
  const twice = [...files].filter(([, declaring]) => declaring.length > 1);
  atLimit(
    'duplicateTypes',
    twice.map(([name, declaring]) => `${name}: ${declaring.join(', ')}`),
  );
});

test('exported names contain no private words', () => {
  const names = sources.flatMap(({ file, text }) =>
    [...text.matchAll(EXPORTS)]
      .flatMap(([, several, one]) => (several ?? one ?? '').split(',').map((name) => name.trim()))
      .filter(isPrivate)
      .map((name) => `${file}: ${name}`),
  );
  atLimit('exportedNames', names);
});

test('file names contain no private words', () => {
  const files = globSync('{src,test,bench,scripts}/**/*.{ts,js}', { cwd: root });
  const wrong = files.filter(
    (file) => !ALLOWED_NAMES.has(basename(file)) && file.split(/[/.-]/).some((word) => PRIVATE_WORDS.has(word)),
  );
  atLimit('fileNames', wrong.sort());
});

/** What no comment needs to say: inversions and private words that a reader has to decode. */
const PHRASES =
  /\b(wish(es)?|told|besides?|gathered|surroundings|upkeep|leavers|twins?|whom|tally|mend(s|ed)?|stands (in|there)|has got|in other words|no more\b|looked? through|what is to be|of which nobody|whoever|it is there|is there to|hands? (all else )?on)\b/i;

interface Comment {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the comments of a source, each block of adjacent lines as one text. */
function commentsOf({ file, text }: Source): Comment[] {
  const found: Comment[] = [];
  let last: { line: number; text: string } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const content = /^\s*(?:\/\/|\/\*\*?|\*\/?)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
    if (content === undefined) last = null;
    else if (last === null) {
      last = { line: index + 1, text: content };
      found.push({ file, ...last });
    } else {
      found.pop();
      last.text += ` ${content}`;
      found.push({ file, ...last });
    }
  }
  return found;
}

const comments = sources.flatMap(commentsOf);
const describeComment = ({ file, line, text }: Comment) => `${file}:${line} ${text.trim().slice(0, 160)}`;

test('comments contain no private phrases', () => {
  atLimit('comments', comments.filter(({ text }) => PHRASES.test(text.replace(/`[^`]*`/g, ''))).map(describeComment));
});

test('sentences of comments have at most 30 words', () => {
  const isLong = ({ text }: Comment) =>
    text
      .split(/[.:;?](?:\s|$)/)
      .some((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > 30);
  atLimit('longSentences', comments.filter(isLong).map(describeComment));
});
