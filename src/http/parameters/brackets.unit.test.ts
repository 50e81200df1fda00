import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignParameter, createEmptyParameters, formatForm, parseForm } from './brackets.ts';

/** Without the missing prototypes, for comparing. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const forms: readonly (readonly [form: string, value: object])[] = [
  ['', {}],
  ['a=1', { a: '1' }],
  ['a=1&a=2', { a: '2' }],
  ['a', { a: '' }],
  ['&&a=1&', { a: '1' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=x+y%2Bz%20', { a: 'x y+z ' }],
  ['a=%C3%A9', { a: 'é' }],
  ['a[b]=1', { a: { b: '1' } }],
  ['a%5Bb%5D=1', { a: { b: '1' } }],
  ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
  ['a[]=1&a[]=2', { a: ['1', '2'] }],
  ['a[]=', { a: [''] }],
  ['a[][x]=1&a[][y]=2&a[][x]=3', { a: [{ x: '1', y: '2' }, { x: '3' }] }],
  ['a[][x][]=1&a[][x][]=2', { a: [{ x: ['1', '2'] }] }],
  ['a[][x][y]=1&a[][x][z]=2&a[][x][y]=3', { a: [{ x: { y: '1', z: '2' } }, { x: { y: '3' } }] }],
  ['a[0][x]=1&a[1][x]=2', { a: { 0: { x: '1' }, 1: { x: '2' } } }],
  ['a=1&a[b]=2', { a: { b: '2' } }],
  ['a[b]=2&a=1', { a: '1' }],
  ['a[]=1&a[b]=2', { a: { b: '2' } }],
  ['[a]=1', { '[a]': '1' }],
  ['a[b=1', { 'a[b': '1' }],
  ['a[b]c=1', { 'a[b]c': '1' }],
];

test('bracket names become hashes and arrays', () => {
  for (const [form, value] of forms) assert.deepEqual(plain(parseForm(form)), value, form);
});

test('no parameter name modifies a prototype', () => {
  const parsed = parseForm('__proto__[x]=1&constructor[prototype][x]=1&a[__proto__][x]=1');
  assert.equal(({} as { x?: string }).x, undefined);
  assert.equal((parsed.a as { x?: string }).x, undefined);
});

test('names nested beyond 32 stay plain names', () => {
  const name = `a${'[b]'.repeat(33)}`;
  assert.deepEqual(plain(parseForm(`${name}=1`)), { [name]: '1' });
});

test('parses many pairs in linear time', () => {
  const parsed = parseForm('a[][x]=1&'.repeat(100_000));
  assert.equal((parsed.a as unknown[]).length, 100_000);
});

test('serializes parsed parameters to the same names and values, escaped', () => {
  const written = (form: string) => formatForm(parseForm(form));
  assert.equal(written('a=x%26y&b[]=1&b[]=2&c[d]=%25'), 'a=x%26y&b%5B%5D=1&b%5B%5D=2&c%5Bd%5D=%25');
  assert.equal(formatForm({ a: null, b: undefined, c: '', d: 1, e: true }), 'c=&d=1&e=true');
  assert.equal(formatForm({ a: 'half \ud800' }), 'a=half%20%EF%BF%BD');
  assert.equal(formatForm({ a: { filename: 'f', bytes: Buffer.from('x') } }), '');
});

test('ignores a name of millions of brackets, in little time', () => {
  for (const name of [`a${'[a]'.repeat(2_000_000)}`, `a${'['.repeat(6_000_000)}`, `a[${'a'.repeat(6_000_000)}`]) {
    const given = createEmptyParameters();
    assignParameter(given, name, 1);
    assert.deepEqual(Object.keys(given), []);
  }
});
