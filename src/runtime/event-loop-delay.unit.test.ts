import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLoopDelay, toDelaySeconds } from './event-loop-delay.ts';

test('returns how late a timer ran, and 0 for an early one', () => {
  assert.equal(toDelaySeconds(1_350, 1_100), 0.25);
  assert.equal(toDelaySeconds(1_099.9, 1_100), 0);
});

test('all servers of the process share one histogram', () => {
  assert.equal(eventLoopDelay(), eventLoopDelay());
});
