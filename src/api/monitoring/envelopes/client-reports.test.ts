import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_REPORTS } from './client-reports.testing.ts';
import { createReporter } from './sdk.testing.ts';

// What members see of the reports of each client, sent as the client sends them.

for (const { client, endpoint, buildRequest, events } of CLIENT_REPORTS) {
  test(`makes one error of each kind of event of ${client}, with counts`, async () => {
    const { anonymous, maintainer, project, key } = await createReporter();
    for (const event of [...events, ...events].map(([sentEvent]) => sentEvent)) {
      const { headers, query = '', body } = buildRequest(event, key);
      const path = `//errortracking/api/v1/projects/api/${project.id}/${endpoint}/${query}`;
      const { status } = await anonymous.send('POST', path, { raw: body, headers });
      assert.equal(status, 200);
    }
    const errors = (await maintainer.get(`${project.at}/error_tracking/errors`)).body;
    const fields = ['type', 'title', 'culprit', 'level', 'count', 'user_count'] as const;
    const found = errors.map((error: Record<string, unknown>) => fields.map((field) => error[field]));
    const expected = events.map(([, { type = 'error', title, culprit, level }]) => [type, title, culprit, level, 2, 1]);
    const sort = (rows: readonly unknown[]) =>
      rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    assert.deepEqual(sort(found), sort(expected));
  });
}
