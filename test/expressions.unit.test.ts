import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/*
 * No expression with two ways to match runs on foreign text: `x///…x` against `/\/+$/` takes a step for each pair of
 * slashes, and holds the event loop for seconds. So each expression of the house meets long runs of the characters that
 * it knows and of others, behind every beginning that may let it in, and is measured in this process's own time.
 */

interface Expression {
  readonly place: string;
  readonly expression: RegExp;
}

/** Literals as they stand behind what an expression can follow; a division stands behind a value. */
const literal =
  /(?<=(?:[(=,:[!&|?;{}]|=>|return|^)\s*)\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

function expressionsOf(file: string): Expression[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
      return [...line.matchAll(literal)].flatMap(([, source, flags]) => {
        const expression = compiled(source!, flags!);
        return expression === null ? [] : [{ place: `${file}:${at + 1} ${expression}`, expression }];
      });
    });
}

function compiled(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  } catch {
    return null;
  }
}

const LENGTH = 30_000;
const CHARACTERS = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '\r',
  '\t',
  '/',
  '.',
  '-',
  '_',
  '=',
  '<',
  '>',
  '^',
  '~',
  '%',
  '&',
  '\\',
  '\u200d',
];

/** Text that lets an expression in: what it asks for literally at its beginning, and what it does not. */
function beginnings({ source }: RegExp): string[] {
  const words = source.replace(/\\([^\w\s])/g, '$1').match(/^\^?\(*(?:\?[:!=<]+)?([\w:;,<>"'@&#%=!/.~ -]{1,30})/);
  const inside = words === null ? [''] : ['', words[1]!];
  // Some character in front, so that what is cut off at the beginning is not cut off.
  return inside.flatMap((begin) => [begin, `\u0002${begin}`]);
}

/** The longest that one text has taken, in milliseconds. */
function cost(expression: RegExp): number {
  const known = [...new Set(expression.source.replace(/\\[nrtsdwbSDWB]/g, ''))].filter(
    (char) => char.codePointAt(0)! < 128,
  );
  let longest = 0;
  for (const char of new Set([...CHARACTERS, ...known])) {
    for (const begin of beginnings(expression)) {
      const text = `${begin}${char.repeat(LENGTH)}\u0001`;
      const before = process.cpuUsage();
      text.replace(expression, '');
      const { user } = process.cpuUsage(before);
      longest = Math.max(longest, user / 1000);
      if (longest > ENOUGH) return longest;
    }
  }
  return longest;
}

/** Linear ones take less than one; those with two ways to match take hundreds. */
const ENOUGH = 60;

const files = globSync('src/**/*.ts').filter((file) => !/\.test\.ts$|testing\.ts$/.test(file));

test('each expression is done with a long text at once, whatever the text', () => {
  const all = files.flatMap(expressionsOf);
  assert.ok(all.length > 150, `${all.length} expressions found`);
  const slow = all.filter(({ expression }) => cost(expression) > ENOUGH).map(({ place }) => place);
  assert.deepEqual(slow, []);
});
