import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { families } from '#api/index.ts';
import { otherOrders } from '../documents/api-text.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { ORDERS } from './stages.ts';

test('the endpoints that differ from the standard order are those of test/stage-orders.txt', () => {
  const written = readFileSync(join(import.meta.dirname, '../../../test/stage-orders.txt'), 'utf8');
  assert.equal(
    otherOrders(createRegistry(families)),
    written,
    'compare with contract/conventions.md §1, then run npm run api',
  );
});

test('in every order credentials come before anything is found, permission after, and conditions last', () => {
  for (const [name, stages] of Object.entries(ORDERS)) {
    const order: readonly string[] = stages;
    assert.ok(order.indexOf('find') < order.indexOf('allow'), name);
    assert.ok(order.indexOf('credentials') < order.indexOf('find'), name);
    if (order.includes('precondition')) assert.equal(order.at(-1), 'precondition', name);
    assert.equal(new Set(order).size, order.length, name);
  }
});
