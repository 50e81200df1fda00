import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMessage } from './event-reader.ts';

type Case = readonly [template: string, params: unknown, message: string];

function check(cases: readonly Case[]): void {
  for (const [template, params, message] of cases)
    assert.equal(formatMessage(template, params), message, `${template} ${JSON.stringify(params)}`);
}

test('inserts the parameters of every style of placeholder', () => {
  check([
    ['user %s left', ['bob'], 'user bob left'],
    ['%s of %d', ['one', 2], 'one of 2'],
    ['%-5s|%05d|%.2f|%+i|%r', ['a', 1, 2.5, 3, 'b'], 'a|1|2.5|3|b'],
    ['%2$s before %1$s', ['a', 'b'], 'b before a'],
    ['user %(name)s of %(count)d', { name: 'bob', count: 3 }, 'user bob of 3'],
    ['user %(name)s', [{ name: 'bob' }], 'user bob'],
    ['user {} left {}', ['bob', 3], 'user bob left 3'],
    ['{1} before {0}', ['a', 'b'], 'b before a'],
    ['user {name} left {0}', { name: 'bob', 0: 'x' }, 'user bob left x'],
    ['{0:.2f} {name!r}', ['a', 'b'], 'a a'],
    ['100%% of %s', ['bob'], '100% of bob'],
  ]);
});

test('converts values to texts', () => {
  check([
    ['%s', [null], 'null'],
    ['%s', [true], 'true'],
    ['%s', [''], ''],
    ['%s', [{ a: [1] }, 2], '{"a":[1]}'],
    ['%s', [['a', 'b']], '["a","b"]'],
    ['%s', ['%s {}'], '%s {}'],
    ['%s', ['$&'], '$&'],
  ]);
});

test('leaves a placeholder without a parameter, and a template without parameters', () => {
  check([
    ['%s and %s', ['a'], 'a and %s'],
    ['%(name)s %(toString)s', { other: 1 }, '%(name)s %(toString)s'],
    ['{} and {5}', ['a'], 'a and {5}'],
    ['50% done, %s', ['a'], '50% done, a'],
    ['nothing', ['a'], 'nothing'],
  ]);
  for (const none of [undefined, null, [], 'x', 5]) check([['100%% of %s and {}', none, '100%% of %s and {}']]);
});

test('limits the text of one parameter', () => {
  assert.equal(formatMessage('%s', ['x'.repeat(5000)]).length, 1024);
});

test('converts a parameter to text once', () => {
  let conversions = 0;
  const ownKeys = (object: object) => {
    conversions++;
    return Reflect.ownKeys(object);
  };
  const parameter = new Proxy({ a: 1 }, { ownKeys });
  assert.equal(formatMessage('{p}'.repeat(300), { p: parameter }), '{"a":1}'.repeat(300));
  assert.equal(conversions, 1);
});
