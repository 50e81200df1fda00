import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallError } from '../api/call.ts';
import { query } from '../api/query.ts';
import { afterDelay, afterFailure, getRefetchDelay, LOADING, type PageState } from './page-state.ts';

const loaded: PageState = {
  kind: 'loaded',
  loaded: {},
  later: null,
  readAt: '2026-01-01T00:00:00.000Z',
  problem: null,
};

test('content stays when the server does not respond, and when the session has ended', () => {
  for (const status of [0, 429, 500, 503])
    assert.deepEqual(afterFailure(loaded, new CallError(status, { message: '' })), { ...loaded, problem: 'stale' });
  assert.deepEqual(afterFailure(loaded, new CallError(401, { message: '' })), { ...loaded, problem: 'signedOut' });
});

test('content goes when the caller may no longer see it', () => {
  for (const status of [403, 404]) {
    const error = new CallError(status, { message: 'gone' });
    assert.deepEqual(afterFailure(loaded, error), { kind: 'error', error });
  }
});

test('content stays while another query of its address is read', () => {
  assert.deepEqual(afterDelay(loaded), { ...loaded, problem: 'loading' });
  assert.deepEqual(afterDelay({ kind: 'error', error: new CallError(404, { message: '' }) }), LOADING);
});

test('a page that was never loaded shows the error', () => {
  const error = new CallError(0, { message: 'Failed to fetch' });
  assert.deepEqual(afterFailure({ kind: 'loading' }, error), { kind: 'error', error });
});

test('reads again after the shortest interval, later after failures, and not before the server asks', () => {
  const queries = {
    todos: query('GET /todos', {}, 30),
    issues: query('GET /issues', {}, 5),
    projects: query('GET /projects', {}),
  };
  assert.equal(getRefetchDelay(queries, 0, null), 5);
  assert.equal(getRefetchDelay(queries, 2, new CallError(500, { message: '' })), 20);
  assert.equal(getRefetchDelay(queries, 20, new CallError(500, { message: '' })), 300);
  assert.equal(
    getRefetchDelay(queries, 1, new CallError(429, { message: '' }, new Headers({ 'Retry-After': '60' }))),
    60,
  );
  assert.equal(getRefetchDelay({ projects: queries.projects }, 0, null), null);
});
