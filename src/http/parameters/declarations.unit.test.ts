import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allOrNone,
  atLeastOne,
  describe,
  exactlyOne,
  mutuallyExclusive,
  object,
  optional,
  type ParameterRule,
  type Parameters,
  parametersSchema,
  readParameters,
  required,
} from './declarations.ts';
import { Problems } from './parameter-type.ts';
import { refName, string } from './texts.ts';
import { absentIfBlank, arrayOf, boolean, date, integer, integerIn, notBlank, oneOf } from './types.ts';

function read(declared: Parameters, given: Record<string, unknown>, ...rules: ParameterRule[]) {
  const problems = new Problems();
  const values = readParameters(declared, given, problems, rules);
  return { values: values as Record<string, unknown>, error: problems.texts.join(', ') };
}

const readValue = (declared: Parameters, given: Record<string, unknown>) => read(declared, given).values.x;
const readError = (declared: Parameters, given: Record<string, unknown>, ...rules: ParameterRule[]) =>
  read(declared, given, ...rules).error;

test('required means that the key is there', () => {
  assert.equal(readError({ x: required(string) }, {}), 'x is missing');
  assert.equal(readError({ x: required(string) }, { x: '' }), '');
  assert.equal(readValue({ x: required(string) }, { x: null }), '');
  assert.equal(readError({ x: required(integer) }, {}), 'x is missing');
  assert.equal(readError({ x: required(integer) }, { x: 'a' }), 'x is invalid');
  assert.deepEqual(readValue({ x: required(arrayOf(string)) }, { x: null }), []);
});

test('a missing required parameter also reports the errors of its other rules', () => {
  assert.equal(readError({ x: required(notBlank(string)) }, {}), 'x is missing, x is empty');
  assert.equal(readError({ x: required(notBlank(string)) }, { x: ' ' }), 'x is empty');
  assert.equal(readError({ x: required(notBlank(string)) }, { x: null }), 'x is empty');
  assert.equal(readError({ x: required(oneOf('a', 'b')) }, {}), 'x is missing, x does not have a valid value');
  assert.equal(readError({ x: required(oneOf('a', 'b')) }, { x: null }), 'x does not have a valid value');
  assert.equal(readError({ x: required(oneOf('a', 'b')) }, { x: '' }), 'x does not have a valid value');
  assert.equal(readError({ x: required(integerIn([1, 2])) }, { x: '' }), 'x does not have a valid value');
});

test('an optional parameter distinguishes absent from null', () => {
  assert.equal(readValue({ x: optional(string) }, {}), undefined);
  assert.equal(readValue({ x: optional(string) }, { x: null }), null);
  assert.equal(readValue({ x: optional(string) }, { x: '' }), '');
  for (const type of [integer, boolean, date]) {
    assert.equal(readValue({ x: optional<unknown>(type) }, {}), undefined);
    assert.equal(readValue({ x: optional<unknown>(type) }, { x: null }), null);
    assert.equal(readValue({ x: optional<unknown>(type) }, { x: '' }), null);
  }
  assert.equal(readValue({ x: optional(oneOf('a')) }, { x: null }), null);
  assert.equal(readError({ x: optional(oneOf('a')) }, { x: null }), '');
  assert.deepEqual(readValue({ x: optional(arrayOf(string)) }, { x: null }), []);
});

test('null, and blank for types other than text, give the default', () => {
  for (const x of [undefined, null, '']) {
    assert.equal(readValue({ x: optional(integer, 20) }, { x }), 20);
    assert.equal(readValue({ x: optional(boolean, true) }, { x }), true);
  }
  assert.equal(readValue({ x: optional(string, 'main') }, {}), 'main');
  assert.equal(readValue({ x: optional(string, 'main') }, { x: null }), 'main');
  assert.equal(readValue({ x: optional(string, 'main') }, { x: '' }), '');
  assert.equal(readValue({ x: optional(oneOf('a', 'b'), 'b') }, { x: null }), 'b');
  assert.equal(readValue({ x: optional(boolean, true) }, { x: 'false' }), false);
  assert.deepEqual(readValue({ x: optional(arrayOf(string), ['a']) }, { x: null }), ['a']);
});

test('errors of all parameters come in the order of their declaration, each once', () => {
  const declared = {
    name: required(notBlank(string)),
    level: required(integerIn([10, 20])),
    flag: optional(boolean),
    tags: optional(arrayOf(integer)),
    title: required(refName),
  };
  const given = { tags: ['a', 'b'], title: 'x'.repeat(1025), flag: 'maybe' };
  const expected =
    'name is missing, name is empty, level is missing, level does not have a valid value, flag is invalid, tags is invalid, ' +
    'title is too long (maximum is 1024 bytes)';
  assert.equal(readError(declared, given), expected);
});

test('nested names use brackets, and an absent hash is not validated', () => {
  const declared = { range: optional(object({ start: required(integer), end: required(integer) })) };
  assert.equal(readError(declared, {}), '');
  assert.equal(readError(declared, { range: null }), '');
  assert.equal(readError(declared, { range: { start: 'a' } }), 'range[start] is invalid, range[end] is missing');
  assert.equal(readError(declared, { range: 'a' }), 'range is invalid');
  const deep = { a: required(object({ b: required(object({ c: required(string) })) })) };
  assert.equal(readError(deep, { a: { b: {} } }), 'a[b][c] is missing');
  assert.equal(readError(deep, {}), 'a is missing');
});

const abc = { a: optional(string), b: optional(string), c: optional(string) };

test('mutually exclusive parameters can have a custom message', () => {
  const rule = mutuallyExclusive('a', 'b', { text: 'a, b cannot be used together' });
  const ab = { a: optional(string), b: optional(string) };
  assert.equal(readError(ab, { a: '1', b: '2' }, rule), 'a, b cannot be used together');
  assert.equal(readError(ab, { a: '1' }, rule), '');
});

test('rules treat a blank parameter as absent if it is declared so', () => {
  const ab = { a: optional(absentIfBlank(string), 'else'), b: optional(string) };
  assert.deepEqual(read(ab, { a: '', b: '' }, mutuallyExclusive('a', 'b')).values, { a: 'else', b: '' });
  assert.equal(readError({ a: required(absentIfBlank(string)) }, { a: '' }), 'a is missing');
});

test('accepts at most one of a set of mutually exclusive parameters', () => {
  const rule = mutuallyExclusive('a', 'b', 'c');
  assert.equal(readError(abc, {}, rule), '');
  assert.equal(readError(abc, { a: '1' }, rule), '');
  assert.equal(readError(abc, { c: '1', a: '1' }, rule), 'a, c are mutually exclusive');
  assert.equal(readError(abc, { a: '1', b: null }, rule), '');
});

test('requires at least one of a set of parameters', () => {
  const rule = atLeastOne('a', 'b', 'c');
  assert.equal(readError(abc, {}, rule), 'a, b, c are missing, at least one parameter must be provided');
  assert.equal(readError(abc, { b: '' }, rule), '');
});

test('requires exactly one of a set of parameters', () => {
  const rule = exactlyOne('a', 'b', 'c');
  assert.equal(readError(abc, {}, rule), 'a, b, c are missing, exactly one parameter must be provided');
  assert.equal(readError(abc, { b: null }, rule), 'a, b, c are missing, exactly one parameter must be provided');
  assert.equal(readError(abc, { c: '' }, rule), '');
  assert.equal(readError(abc, { a: '1', c: '2' }, rule), 'a, c are mutually exclusive');
});

test('accepts all of a set of parameters or none', () => {
  const rule = allOrNone('a', 'b');
  assert.equal(readError(abc, {}, rule), '');
  assert.equal(readError(abc, { a: '1', b: '2' }, rule), '');
  assert.equal(readError(abc, { a: '1' }, rule), 'a, b provide all or none of parameters');
});

test('errors of rules come after errors of parameters', () => {
  assert.equal(
    readError({ a: optional(integer), b: required(string) }, { a: 'x' }, atLeastOne('c', 'd')),
    'a is invalid, b is missing, c, d are missing, at least one parameter must be provided',
  );
});

test('the schema of a set shows types, defaults and what is required', () => {
  const schema = parametersSchema({ name: describe(required(string), 'Its name'), force: optional(boolean, false) });
  assert.deepEqual(JSON.parse(JSON.stringify(schema)), {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 4096, description: 'Its name' },
      force: { type: 'boolean', default: false },
    },
  });
});

test('rules of a hash apply to each sent hash, and errors name its parameters', () => {
  const element = object({ a: optional(integer), b: optional(integer), c: optional(integer) }, [
    atLeastOne('a', 'b'),
    mutuallyExclusive('b', 'c'),
  ]);
  const declared = { x: optional(arrayOf(element)) };
  assert.equal(readError(declared, {}), '');
  assert.equal(
    readError(declared, { x: [{ a: 1 }, { c: 1 }, { b: 1, c: 1 }] }),
    'x[1][a], x[1][b] are missing, at least one parameter must be provided, x[2][b], x[2][c] are mutually exclusive',
  );
});
