import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ScopedVariable, selectEffectiveVariables } from './variables.ts';

// contract/runners.md §4.5 "Reaching jobs": which of several variables with one key counts.

const [INSTANCE, ROOT, GROUP, PROJECT] = [1_000_000, 2, 0, -1];
const PLAIN = { protected: false, environment: null };

/** Each is said as `distance scope`, with `!` behind it where it is protected; the values are their places in the list. */
function winner(said: readonly string[], receiver: Parameters<typeof selectEffectiveVariables>[1]): string | null {
  const all = said.map((text, id): ScopedVariable => {
    const [distance = '', scope = ''] = text.replace('!', '').split(' ');
    const place = { instance: INSTANCE, root: ROOT, group: GROUP, project: PROJECT }[distance]!;
    return { id, key: 'K', distance: place, environment_scope: scope, protected: text.endsWith('!') };
  });
  const found = selectEffectiveVariables(all, receiver);
  assert.ok(found.length <= 1);
  return found[0] === undefined ? null : said[found[0].id]!;
}

test('prefers variables of the nearest level, regardless of scope', () => {
  const levels = ['project *', 'group *', 'root *', 'instance *'];
  for (let nearest = 0; nearest < levels.length; nearest++) {
    assert.equal(winner(levels.slice(nearest), PLAIN), levels[nearest]);
    assert.equal(winner(levels.slice(nearest).reverse(), PLAIN), levels[nearest]);
  }
  const job = { protected: false, environment: 'production' };
  assert.equal(winner(['group production', 'project *'], job), 'project *');
});

test('prefers the most specific environment scope within one owner', () => {
  for (const [environment, order] of [
    ['review/a/b', ['project review/a/b', 'project review/a/*', 'project review/*', 'project *']],
    ['production', ['project production', 'project *tion', 'project p*', 'project *']],
    ['a.b', ['project a.b', 'project a*b', 'project *']],
    ['ab', ['project a*b', 'project **', 'project *']],
  ] as const) {
    const job = { protected: false, environment };
    for (let first = 0; first < order.length; first++) {
      assert.equal(winner(order.slice(first), job), order[first], environment);
      assert.equal(winner(order.slice(first).toReversed(), job), order[first], environment);
    }
  }
});

test('omits variables of other environments', () => {
  for (const [environment, ...scopes] of [
    [null, 'production', 'review/*', '**', '*n'],
    ['production', 'Production', 'prod', 'production/*', 'staging', 'p*x'],
    ['review/a', 'review', 'review/b', 'review/*/b', '*/b', 'review.*'],
  ] as const) {
    for (const scope of scopes) assert.equal(winner([`project ${scope}`], { protected: false, environment }), null);
  }
});

test('uses protected variables only for protected refs, and does not let them hide others elsewhere', () => {
  const said = ['instance *', 'project *!'];
  assert.equal(winner(said, { protected: true, environment: null }), 'project *!');
  assert.equal(winner(said, { protected: false, environment: null }), 'instance *');
  assert.equal(winner(['project *!'], PLAIN), null);
});

test('selects a variable for each key independently', () => {
  const kept = (key: string, distance: number, id: number) => ({
    ...{ id, key, distance, environment_scope: '*', protected: false },
  });
  const all = [kept('A', PROJECT, 1), kept('B', INSTANCE, 2), kept('A', INSTANCE, 3), kept('C', GROUP, 4)];
  assert.deepEqual(
    selectEffectiveVariables(all, PLAIN).map(({ id }) => id),
    [2, 4, 1],
  );
});
