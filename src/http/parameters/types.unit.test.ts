import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseForm } from './brackets.ts';
import { object, optional, readParameters, required } from './declarations.ts';
import { type ParameterType, Problems } from './parameter-type.ts';
import { string } from './texts.ts';
import {
  anyValue,
  arrayOf,
  boolean,
  commaSeparated,
  date,
  dateTime,
  integer,
  integerIn,
  notBlank,
  number,
  oneOf,
} from './types.ts';

/** Returns the parsed value, or the texts of its errors. */
function read(type: ParameterType<unknown>, raw: unknown): unknown {
  const problems = new Problems();
  const value = type.read(raw, 'x', problems);
  return problems.any ? problems.texts : value;
}

const INVALID = ['x is invalid'];

/** Rows of contract/conventions.md §3 "Coercion": what is sent, and what becomes of it. */
function coerces(
  name: string,
  type: ParameterType<unknown>,
  rows: readonly (readonly [sent: unknown, becomes: unknown])[],
) {
  test(`${name}: accepts valid values and rejects invalid ones`, () => {
    for (const [sent, becomes] of rows) assert.deepEqual(read(type, sent), becomes, `${name} ${JSON.stringify(sent)}`);
  });
}

coerces('String', string, [
  ['abc', 'abc'],
  ['', ''],
  [' a ', ' a '],
  [12, '12'],
  [1.5, '1.5'],
  [9007199254740991, '9007199254740991'],
  [-9007199254740991, '-9007199254740991'],
  [9007199254740992, INVALID],
  [-9007199254740992, INVALID],
  [1e300, INVALID],
  [Number.POSITIVE_INFINITY, INVALID],
  [true, 'true'],
  [false, 'false'],
  [null, null],
  [[], INVALID],
  [['a'], INVALID],
  [{}, INVALID],
  ['a\u0000b', INVALID],
  [{ filename: 'a', bytes: Buffer.from('a') }, INVALID],
]);

coerces('Integer', integer, [
  [1, 1],
  [-7, -7],
  [1.0, 1],
  ['42', 42],
  ['+42', 42],
  ['-42', -42],
  ['-0', 0],
  ['007', 7],
  ['', null],
  [null, null],
  ['abc', INVALID],
  ['1.5', INVALID],
  ['1e3', INVALID],
  ['0x10', INVALID],
  [1.5, INVALID],
  [true, INVALID],
  [[1], INVALID],
  [{}, INVALID],
  [9007199254740991, 9007199254740991],
  ['9007199254740991', 9007199254740991],
  [9007199254740992, INVALID],
  ['9007199254740992', INVALID],
  ['-9007199254740992', INVALID],
  [Number.POSITIVE_INFINITY, INVALID],
]);

coerces('Float', number, [
  [1.5, 1.5],
  ['1.5', 1.5],
  ['-2', -2],
  ['', null],
  [null, null],
  ['1e3', INVALID],
  ['x', INVALID],
  [true, INVALID],
  [Number.POSITIVE_INFINITY, INVALID],
]);

const yes = ['1', 't', 'T', 'true', 'TRUE', 'True', 'y', 'Y', 'yes', 'YES', 'Yes', 'on', 'ON', 'On', true, 1];
const no = ['0', 'f', 'F', 'false', 'FALSE', 'False', 'n', 'N', 'no', 'NO', 'No', 'off', 'OFF', 'Off', false, 0];
coerces('Boolean', boolean, [
  ...yes.map((sent) => [sent, true] as const),
  ...no.map((sent) => [sent, false] as const),
  ['', null],
  [null, null],
  ['tRue', INVALID],
  ['2', INVALID],
  [2, INVALID],
  [' true', INVALID],
  [[], INVALID],
  [{}, INVALID],
]);

coerces('Date', date, [
  ['2026-02-13', '2026-02-13'],
  ['2026-2-3', '2026-02-03'],
  ['2026-02-13T10:00:00Z', '2026-02-13'],
  ['2026-02-13 23:59', '2026-02-13'],
  ['2028-02-29', '2028-02-29'],
  ['', null],
  [null, null],
  ['2026-02-30', INVALID],
  ['2026-13-01', INVALID],
  ['2026-00-10', INVALID],
  ['tomorrow', INVALID],
  ['20260213', INVALID],
  [20260213, INVALID],
  [true, INVALID],
  [['2026-02-13'], INVALID],
]);

coerces('DateTime', dateTime, [
  ['2026-02-13', '2026-02-13T00:00:00.000Z'],
  ['2026-02-13T02:28:16Z', '2026-02-13T02:28:16.000Z'],
  ['2026-02-13 02:28:16', '2026-02-13T02:28:16.000Z'],
  ['2026-02-13T02:28', '2026-02-13T02:28:00.000Z'],
  ['2026-02-13T02:28:16.5Z', '2026-02-13T02:28:16.500Z'],
  ['2026-02-13T02:28:16.123456789Z', '2026-02-13T02:28:16.123Z'],
  ['2026-02-13T02:28:16+02:00', '2026-02-13T00:28:16.000Z'],
  ['2026-02-13T02:28:16-0330', '2026-02-13T05:58:16.000Z'],
  ['', null],
  [null, null],
  // An unescaped + in a query is a blank.
  ['2026-02-13T02:28:16 02:00', INVALID],
  ['2026-02-30T00:00:00Z', INVALID],
  ['2026-02-13T24:00:00Z', INVALID],
  ['2026-02-13T02:60:00Z', INVALID],
  ['2026-02-13T02:28:16+99:00', INVALID],
  ['9999-12-31T23:59:59-01:00', INVALID],
  ['yesterday', INVALID],
  [1770949696, INVALID],
  [{}, INVALID],
]);

coerces('Hash', object({ a: optional(integer) }), [
  [{ a: 1 }, { a: 1 }],
  [null, null],
  ['a', INVALID],
  [1, INVALID],
  [[], INVALID],
  [{ filename: 'a', bytes: Buffer.from('a') }, INVALID],
]);

coerces('Array', arrayOf(string), [
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[''], ['']],
  [
    [1, true],
    ['1', 'true'],
  ],
  [null, []],
  [[], []],
  [[null], []],
  [{ 1: 'b', 0: 'a', 10: 'c' }, ['a', 'b', 'c']],
  ['a', INVALID],
  [1, INVALID],
  [{ a: 'x' }, INVALID],
  [[['a']], INVALID],
]);

coerces('Array of Integer', arrayOf(integer), [
  [
    ['1', 2],
    [1, 2],
  ],
  [[''], []],
  [[null, 3], [3]],
  [['a'], INVALID],
  ['1', INVALID],
]);

coerces('comma array', commaSeparated(string), [
  ['a,b , c', ['a', 'b', 'c']],
  ['', []],
  [',', []],
  [null, []],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['a,b', ' c '],
    ['a', 'b', 'c'],
  ],
  [[''], []],
  [{ 0: 'a', 1: 'b' }, ['a', 'b']],
  [{ a: 'b' }, INVALID],
]);

coerces('comma array of Integer', commaSeparated(integer), [
  ['1,2', [1, 2]],
  [7, [7]],
  [
    ['1', 2],
    [1, 2],
  ],
  ['1,x', INVALID],
  [true, INVALID],
]);

const NO_VALUE = ['x does not have a valid value'];
coerces('value list', oneOf('asc', 'desc'), [
  ['asc', 'asc'],
  [null, null],
  ['', NO_VALUE],
  ['ASC', NO_VALUE],
  [1, NO_VALUE],
  [['asc'], INVALID],
]);
coerces('whole numbers from a list', integerIn([10, 20]), [
  ['10', 10],
  ['', null],
  [15, NO_VALUE],
  ['x', INVALID],
]);
coerces('whole numbers from a range', integerIn({ min: 1, max: 3 }), [
  [1, 1],
  [3, 3],
  [0, NO_VALUE],
  [4, NO_VALUE],
]);
coerces('list of values from a list', arrayOf(oneOf('a', 'b')), [
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [['a', 'c', 'd'], NO_VALUE],
]);

const EMPTY = ['x is empty'];
coerces('not blank', notBlank(string), [
  ['a', 'a'],
  ['', EMPTY],
  [' \t\n', EMPTY],
  [null, EMPTY],
  [[], INVALID],
]);
coerces('not blank Integer', notBlank(integer), [
  ['1', 1],
  ['', EMPTY],
  ['a', INVALID],
]);
coerces('anything', anyValue, [
  [null, null],
  [[{ a: '\u0000' }], [{ a: '\u0000' }]],
]);

const entity = object({ source_type: required(oneOf('group', 'project')), name: optional(string) });

/** Through a query string, as `entities`. */
function readEntities(query: string): unknown {
  const problems = new Problems();
  const { entities } = readParameters({ entities: optional(arrayOf(entity)) }, parseForm(query), problems);
  return problems.any ? problems.texts : entities;
}

test('arrays of hashes take all three bracket forms', () => {
  const two = [
    { source_type: 'group', name: 'a' },
    { source_type: 'project', name: undefined },
  ];
  assert.deepEqual(
    readEntities('entities[][source_type]=group&entities[][name]=a&entities[][source_type]=project'),
    two,
  );
  assert.deepEqual(
    readEntities('entities[1][source_type]=project&entities[0][source_type]=group&entities[0][name]=a'),
    two,
  );
  assert.deepEqual(readEntities('entities[source_type]=group&entities[name]=a'), two.slice(0, 1));
});

test('errors in arrays of hashes name the element', () => {
  assert.deepEqual(readEntities('entities[][source_type]=group&entities[][source_type]=x'), [
    'entities[1][source_type] does not have a valid value',
  ]);
  assert.deepEqual(readEntities('entities[][name]=a'), [
    'entities[0][source_type] is missing',
    'entities[0][source_type] does not have a valid value',
  ]);
  assert.deepEqual(readEntities('entities=x'), ['entities is invalid']);
  assert.deepEqual(readEntities('entities[]=x'), ['entities is invalid']);
});
