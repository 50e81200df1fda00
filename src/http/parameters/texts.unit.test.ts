import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUnlimitedParameter, optional, readParameters, required } from './declarations.ts';
import { type ParameterType, Problems } from './parameter-type.ts';
import {
  commitMessage,
  domainValidatedText,
  longText,
  pathText,
  refName,
  searchExpression,
  shortText,
  sizedText,
  string,
} from './texts.ts';
import { anyValue, arrayOf, boolean, commaSeparated, date, dateTime, integer, number, oneOf } from './types.ts';

const MEBIBYTE = 1024 * 1024;

/** Returns the problems of the parameter `x`. */
function problemsOf(type: ParameterType<unknown>, x: unknown): Pick<Problems, 'texts' | 'fields'> {
  const problems = new Problems();
  readParameters({ x: required(type) }, { x }, problems);
  return { texts: problems.texts, fields: problems.fields };
}

for (const [name, type, bytes] of [
  ['text', string, 4096],
  ['ref', refName, 1024],
  ['path', pathText, 4096],
  ['expression', searchExpression, 1024],
  ['message', commitMessage, MEBIBYTE],
] as const) {
  test(`a ${name} has ${bytes} bytes of UTF-8 at most`, () => {
    const tooLong = { texts: [`x is too long (maximum is ${bytes} bytes)`], fields: {} };
    for (const letter of ['a', 'ä', '€', '👍']) {
      const fits = letter.repeat(Math.floor(bytes / Buffer.byteLength(letter)));
      assert.deepEqual(problemsOf(type, fits), { texts: [], fields: {} }, letter);
      assert.deepEqual(problemsOf(type, fits + letter), tooLong, letter);
    }
  });
}

test('limits a title to 255 characters, with the error format of a model validation', () => {
  const tooLong = { texts: [], fields: { x: ['is too long (maximum is 255 characters)'] } };
  for (const letter of ['a', 'ä', '👍']) {
    assert.deepEqual(problemsOf(shortText, letter.repeat(255)), { texts: [], fields: {} }, letter);
    assert.deepEqual(problemsOf(shortText, letter.repeat(256)), tooLong, letter);
  }
});

test('limits a description to 1 MiB, with the error format of a model validation', () => {
  const tooLong = { texts: [], fields: { x: ['is too long (maximum is 1048576 bytes)'] } };
  assert.deepEqual(problemsOf(longText, 'a'.repeat(MEBIBYTE)), { texts: [], fields: {} });
  assert.deepEqual(problemsOf(longText, 'a'.repeat(MEBIBYTE + 1)), tooLong);
});

test('the error of a long text can contain its length and the limit', () => {
  const half = MEBIBYTE / 2;
  for (const [most, bytes, said] of [
    [MEBIBYTE, MEBIBYTE, []],
    [MEBIBYTE, MEBIBYTE + 1, ['is too long (1 MB). The maximum size is 1 MB.']],
    [MEBIBYTE, 1.1 * MEBIBYTE, ['is too long (1.1 MB). The maximum size is 1 MB.']],
    [MEBIBYTE, 2.345 * MEBIBYTE, ['is too long (2.35 MB). The maximum size is 1 MB.']],
    [half, half + 900, ['is too long (513 KB). The maximum size is 512 KB.']],
  ] as const) {
    const { fields } = problemsOf(sizedText(most), 'ä'.repeat(Math.ceil(bytes / 2)));
    assert.deepEqual(fields.x ?? [], said, `${bytes}`);
  }
});

test('checks the length of a text before its other rules', () => {
  const long = '\u0000'.repeat(5000);
  assert.deepEqual(problemsOf(string, long).texts, ['x is too long (maximum is 4096 bytes)']);
  assert.deepEqual(problemsOf(string, long.slice(0, 4096)).texts, ['x is invalid']);
});

test('truncates a text that is validated later, but keeps it over that limit', () => {
  const read = (sent: string) =>
    readParameters({ x: required(domainValidatedText(255)) }, { x: sent }, new Problems()).x;
  assert.equal(read('a'.repeat(256)), 'a'.repeat(256));
  for (const blanks of [' '.repeat(1000), `a${' '.repeat(1000)}b`, '\n'.repeat(1000)]) {
    assert.ok(read(blanks).trim().length > 255);
  }
  for (const letter of ['a', '👍']) {
    const length = [...read(letter.repeat(MEBIBYTE))].length;
    assert.ok(length > 255 && length < 1024, `${letter} ${length}`);
  }
});

test('does not inspect long values that are not texts', () => {
  for (const type of [integer, number, boolean, date, dateTime]) {
    assert.deepEqual(problemsOf(type, ' '.repeat(300)).texts, ['x is invalid']);
  }
  assert.deepEqual(problemsOf(oneOf('a'), 'a'.repeat(MEBIBYTE)).texts, ['x does not have a valid value']);
});

test('limits a list to 1,000 elements in every encoding', () => {
  const tooLong = ['x is too long (maximum is 1000 elements)'];
  const many = Array.from({ length: 1001 }, (_, index) => String(index));
  const byNumber = Object.fromEntries(many.entries());
  const commas = many.join(',');
  for (const sent of [many, byNumber]) assert.deepEqual(problemsOf(arrayOf(integer), sent).texts, tooLong);
  for (const sent of [many, byNumber, commas, [commas]]) {
    assert.deepEqual(problemsOf(commaSeparated(integer), sent).texts, tooLong);
  }
  for (const sent of [many.slice(1), many.slice(1).join(',')]) {
    assert.deepEqual(problemsOf(commaSeparated(integer), sent).texts, []);
  }
  assert.deepEqual(problemsOf(arrayOf(integer, 2), ['1', '2', '3']).texts, ['x is too long (maximum is 2 elements)']);
});

test('detects a declaration without a limit at any depth', () => {
  const bare: ParameterType<string> = { schema: { type: 'string' }, read: () => null };
  const list: ParameterType<string> = { schema: { type: 'array', items: string.schema }, read: () => null };
  const unknown: ParameterType<unknown> = { schema: {}, read: () => null };
  assert.equal(findUnlimitedParameter({ a: optional(string), b: optional(bare) }), 'b');
  assert.equal(findUnlimitedParameter({ a: optional(list) }), 'a');
  assert.equal(findUnlimitedParameter({ a: optional(unknown) }), 'a');
  assert.equal(findUnlimitedParameter({ a: optional(arrayOf(bare)) }), 'a[]');
  const types = [
    anyValue,
    string,
    shortText,
    integer,
    boolean,
    date,
    oneOf('a'),
    arrayOf(string),
    commaSeparated(string),
  ];
  for (const type of types) assert.equal(findUnlimitedParameter({ a: optional<unknown>(type) }), null);
});
