import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import type { Parameter } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { createRegistry } from '#http/server/routing/registry.ts';

// A blank text is none of the values of a parameter with a value list, so it is rejected (contract/conventions.md §3). A
// blank value of these parameters counts as not sent, because the reference accepts it.

const BLANK_IS_ABSENT = [
  'getGroupIssuesStatistics due_date',
  'getIssuesStatistics due_date',
  'getProjectIssuesStatistics due_date',
  'listEnvironments states',
  'listGroupIssues due_date',
  'listIssues due_date',
  'listProjectIssues due_date',
  'listUsers order_by',
  'setFeature key',
];

const endpoints = createRegistry(resourceModules).endpoints;

type Treatment = 'absent' | 'rejected' | 'accepted';

function treatBlank({ type }: Parameter<unknown>): Treatment {
  if (type.absentIfBlank) return 'absent';
  const problems = new Problems();
  type.read('', 'x', problems);
  return problems.any ? 'rejected' : 'accepted';
}

/** Returns the parameters with a list of texts as values that treat blank values in this way. */
function listByTreatment(treatment: Treatment): string[] {
  return endpoints.flatMap((endpoint) =>
    Object.entries({ ...getDeclaredParameters(endpoint), ...endpoint.fields })
      .filter(([, { type }]) => typeof (type.schema as { enum?: unknown[] }).enum?.[0] === 'string')
      .filter(([, parameter]) => treatBlank(parameter) === treatment)
      .map(([name]) => `${endpoint.name} ${name}`),
  );
}

test('a blank value of a parameter with a value list is rejected, or counts as not sent where the reference accepts it', () => {
  assert.ok(listByTreatment('rejected').length > 100);
  assert.deepEqual(listByTreatment('absent').sort(), BLANK_IS_ABSENT);
  assert.deepEqual(listByTreatment('accepted'), []);
});
