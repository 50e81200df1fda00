import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const path = '/application/settings';

test('updates only given settings, with an audit event for each', async () => {
  const { root, server } = await world();
  const before = (await root.get(path)).body;
  const changes = { push_event_activities_limit: 5, restricted_visibility_levels: 'public, internal', unheard_of: 1 };
  const { status, body } = await root.put(path, changes);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...before,
    push_event_activities_limit: 5,
    restricted_visibility_levels: ['public', 'internal'],
  });
  assert.deepEqual((await root.get(path)).body, body);
  await root.put(path, { push_event_activities_limit: 5 });
  const events = await server.services.database.reader
    .selectFrom('audit_events')
    .select('details')
    .where('event_name', '=', 'application_setting_updated')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    events.map(({ details }) => JSON.parse(details).custom_message),
    [
      'Changed restricted_visibility_levels from [] to ["public","internal"]',
      'Changed push_event_activities_limit from 3 to 5',
    ],
  );
});

test('accepts the former name of a setting unless the new name is sent', async () => {
  const { root } = await world();
  const now = 'allow_local_requests_from_web_hooks_and_services';
  const before = 'allow_local_requests_from_hooks_and_services';
  for (const [changes, value] of [
    [{ [before]: true }, true],
    [{ push_event_activities_limit: 3 }, true],
    [{ [now]: false, [before]: true }, false],
  ] as const) {
    const { body } = await root.put(path, changes);
    assert.deepEqual([body[now], before in body], [value, false]);
  }
  const { status, body } = await root.put(path, { [before]: 'x' });
  assert.deepEqual([status, body], [400, { error: `${before} is invalid` }]);
});

test('removes a limit by null where the setting allows it', async () => {
  const { root } = await world();
  assert.equal(
    (await root.put(path, { rate_limiting_response_text: 'Slowly.' })).body.rate_limiting_response_text,
    'Slowly.',
  );
  assert.equal((await root.put(path, { rate_limiting_response_text: null })).body.rate_limiting_response_text, null);
  assert.deepEqual((await root.put(path, { max_artifacts_size: null })).body, {
    message: { max_artifacts_size: ["can't be blank"] },
  });
});

const refusals: readonly [changes: Readonly<Record<string, unknown>>, body: object][] = [
  [{ bulk_import_enabled: 'maybe' }, { error: 'bulk_import_enabled is invalid' }],
  [{ deletion_adjourned_period: 'x' }, { error: 'deletion_adjourned_period is invalid' }],
  [{ repository_storages_weighted: 'x' }, { error: 'repository_storages_weighted is invalid' }],
  [{ default_project_visibility: 'secret' }, { error: 'default_project_visibility does not have a valid value' }],
  [
    { throttle_authenticated_api_period_in_seconds: 0 },
    { message: { throttle_authenticated_api_period_in_seconds: ['must be greater than 0'] } },
  ],
  [{ deletion_adjourned_period: 91 }, { message: { deletion_adjourned_period: ['must be less than or equal to 90'] } }],
  [
    { runner_token_expiration_interval: 60 },
    { message: { runner_token_expiration_interval: ['must be greater than or equal to 7200'] } },
  ],
  [
    { repository_storages_weighted: { default: 50, nope: 1 } },
    { message: { repository_storages_weighted: ["can't include: nope"] } },
  ],
  [
    { repository_storages_weighted: { constructor: 50 } },
    { message: { repository_storages_weighted: ["can't include: constructor"] } },
  ],
  [
    { repository_storages_weighted: { default: 101 } },
    { message: { repository_storages_weighted: ["value for 'default' must be between 0 and 100"] } },
  ],
  [
    { geo_node_allowed_ips: '10.0.0.0/33' },
    { message: { geo_node_allowed_ips: ['contains invalid IP address range'] } },
  ],
];

for (const [changes, body] of refusals) {
  test(`rejects ${JSON.stringify(changes)} and changes nothing`, async () => {
    const { root } = await world();
    const before = (await root.get(path)).body;
    const answer = await root.put(path, { ...changes, max_http_response_size_limit: 7 });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, body);
    assert.deepEqual((await root.get(path)).body, before);
  });
}

// contract/conventions.md §10 "Application settings", section 8.
const THROTTLES = [
  ...['unauthenticated_api', 'authenticated_api', 'unauthenticated_files_api', 'authenticated_files_api'].flatMap(
    (kind) => [`throttle_${kind}_requests_per_period`, `throttle_${kind}_period_in_seconds`],
  ),
  'throttle_incident_management_notification_per_period',
  'throttle_incident_management_notification_period_in_seconds',
];

test('rejects throttle values below 1 and reports all errors together', async () => {
  const { root } = await world();
  const before = (await root.get(path)).body;
  for (const wrong of [0, -1, '0']) {
    const { status, body } = await root.put(path, Object.fromEntries(THROTTLES.map((key) => [key, wrong])));
    const errors = Object.fromEntries(THROTTLES.map((key) => [key, ['must be greater than 0']]));
    assert.deepEqual([status, body], [400, { message: errors }]);
  }
  const words = await root.put(path, Object.fromEntries(THROTTLES.map((key) => [key, 'x'])));
  assert.deepEqual(words.body.error.split(', ').sort(), THROTTLES.map((key) => `${key} is invalid`).sort());
  assert.deepEqual((await root.get(path)).body, before);
});

test('accepts a period that would end beyond the calendar', async () => {
  const { root } = await world();
  const key = 'throttle_authenticated_api_period_in_seconds';
  const tooLong = await root.put(path, { throttle_authenticated_api_enabled: true, [key]: Number.MAX_SAFE_INTEGER });
  assert.deepEqual(tooLong.body, { message: { [key]: ['must be less than or equal to 2147483647'] } });
  const longest = {
    throttle_authenticated_api_enabled: true,
    [key]: 2_147_483_647,
    session_expire_delay: 2_147_483_647,
  };
  assert.equal((await root.put(path, longest)).status, 200);
  assert.equal((await root.get('/user')).headers['ratelimit-observed'], '1');
  const usual = { throttle_authenticated_api_enabled: false, [key]: 3600, session_expire_delay: 10_080 };
  assert.equal((await root.put(path, usual)).status, 200);
});

test('accepts form and JSON bodies and returns all settings', async () => {
  const { root } = await world();
  const { body: before } = await root.get(path);
  const form = new URLSearchParams([
    ['restricted_visibility_levels[]', 'public'],
    ['bulk_import_enabled', 'off'],
    ['offset_pagination_limit', '0'],
    ['rate_limiting_response_text', 'Später'],
    ['private_setting', 'x'],
  ]).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status, body } = await root.send('PUT', path, { raw: form, headers });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...before,
    restricted_visibility_levels: ['public'],
    bulk_import_enabled: false,
    offset_pagination_limit: 0,
    rate_limiting_response_text: 'Später',
  });
  const names = ['restricted_visibility_levels', 'bulk_import_enabled', 'offset_pagination_limit'];
  const back = Object.fromEntries([...names, 'rate_limiting_response_text'].map((name) => [name, before[name]]));
  assert.deepEqual((await root.put(path, back)).body, before);
  assert.equal((await root.put(path)).status, 400);
  assert.deepEqual((await root.get(path)).body, before);
});

test('stores settings without an effect', async () => {
  const { root } = await world();
  const settings = { after_sign_up_text: 'Welcome', file_template_project_id: 7 };
  assert.equal((await root.put(path, settings)).status, 200);
  const { after_sign_up_text, file_template_project_id } = (await root.get(path)).body;
  assert.deepEqual({ after_sign_up_text, file_template_project_id }, settings);
  const { status, body } = await root.put(path, { file_template_project_id: 0 });
  assert.deepEqual([status, body], [400, { message: { file_template_project_id: ['must be greater than 0'] } }]);
  const cleared = await root.put(path, { after_sign_up_text: null, file_template_project_id: null });
  assert.deepEqual([cleared.body.after_sign_up_text, cleared.body.file_template_project_id], [null, null]);
});

test('keeps both concurrent changes of different settings', async () => {
  const { root } = await world();
  for (let round = 1; round <= 3; round++) {
    const changes = { users_get_by_id_limit: round, runner_long_polling_seconds: round, max_artifacts_size: round };
    const calls = Object.entries(changes).map(([key, value]) => root.put(path, { [key]: value }));
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
    const { body } = await root.get(path);
    assert.deepEqual(Object.fromEntries(Object.keys(changes).map((key) => [key, body[key]])), changes);
  }
});

test('rejects an update without a known parameter', async () => {
  const { root } = await world();
  const { status, body } = await root.put(path, { unheard_of: 1 });
  assert.equal(status, 400);
  assert.match(body.error, /^\w+(, \w+)+ are missing, at least one parameter must be provided$/);
});
