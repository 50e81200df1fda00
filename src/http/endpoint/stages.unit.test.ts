import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { formatStageOrders } from '../documents/api-text.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { STAGE_ORDERS } from './stages.ts';

test('test/stage-orders.txt lists the endpoints without the standard stage order', () => {
  const written = readFileSync(join(import.meta.dirname, '../../../test/stage-orders.txt'), 'utf8');
  assert.equal(
    formatStageOrders(createRegistry(resourceModules)),
    written,
    'compare with contract/conventions.md §1, then run npm run api',
  );
});

test('every stage order authenticates, loads, authorizes and then checks preconditions', () => {
  for (const [name, stages] of Object.entries(STAGE_ORDERS)) {
    const order: readonly string[] = stages;
    assert.ok(order.indexOf('load') < order.indexOf('authorize'), name);
    assert.ok(order.indexOf('credentials') < order.indexOf('load'), name);
    if (order.includes('precondition')) assert.equal(order.at(-1), 'precondition', name);
    assert.equal(new Set(order).size, order.length, name);
  }
});
