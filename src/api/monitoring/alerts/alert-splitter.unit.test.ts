import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAlertSplitter, MAX_ALERT_BYTES } from './alert-splitter.ts';

/** Splits a payload that arrives in chunks of this size. */
function split(json: string, size = Number.POSITIVE_INFINITY) {
  const splitter = createAlertSplitter();
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  return splitter;
}

/** Returns the parsed object, with the parsed alerts in their place. */
function join(json: string, size?: number): unknown {
  const splitter = split(json, size);
  const rest = JSON.parse(splitter.takeRest().toString());
  if ('alerts' in rest && Array.isArray(rest.alerts))
    rest.alerts = splitter.alerts.map((bytes) => JSON.parse(bytes.toString()));
  return rest;
}

test('splits an object independently of the chunk size', () => {
  const tricky = { alerts: ['no', { alerts: [1, 2] }], 'a"]': '\\', text: '"alerts":[', nested: { alerts: [3] } };
  for (const payload of [
    { version: '4', alerts: [{ a: 'é,]"\\"', b: [1, [2, 3]], c: {} }, [], 'x', null, 5], groupKey: '{}' },
    { alerts: [] },
    { alerts: [[]] },
    { alerts: {}, list: [1, 2] },
    { alerts: 'text' },
    { x: 'alerts', list: [{ y: 1 }, 2] },
    tricky,
  ]) {
    for (const json of [JSON.stringify(payload), JSON.stringify(payload, null, 2), ` \n${JSON.stringify(payload)}\n`]) {
      for (const size of [1, 2, 3, 7, 64, undefined]) assert.deepEqual(join(json, size), payload, `${json} ${size}`);
    }
  }
});

test('uses the last member of the name, also if it is escaped', () => {
  assert.deepEqual(join('{"alerts":[1,2],"a":1,"alerts":[3]}'), { a: 1, alerts: [3] });
  assert.deepEqual(join('{"\\u0061lerts":[1,2]}'), { alerts: [1, 2] });
});

test('leaves invalid JSON invalid', () => {
  for (const json of [
    '{"alerts":[1',
    '{"alerts":[1}',
    '{"alerts":[1]]}',
    '{"alerts":[1],}',
    '',
    '[]x',
    '{"alerts":["]}',
  ])
    assert.throws(() => join(json), SyntaxError, json);
  for (const json of ['{"alerts":[1,]}', '{"alerts":[,1]}', '{"alerts":[1 2]}', '{"alerts":[{]}]}'])
    assert.throws(() => join(json), SyntaxError, json);
});

test('drops alerts that are too large and counts them', () => {
  const alertOf = (size: number) => `"${'x'.repeat(size - 2)}"`;
  const json = `{"alerts":[1,${alertOf(MAX_ALERT_BYTES + 1)},${alertOf(MAX_ALERT_BYTES)},2]}`;
  for (const size of [65_536, undefined]) {
    const { alerts, droppedCount, isTooLarge } = split(json, size);
    assert.deepEqual([alerts.length, droppedCount, isTooLarge], [3, 1, false]);
  }
});

test('limits the number of alerts and the size of everything else', () => {
  assert.equal(split(`{"alerts":[${'0,'.repeat(99_999)}0]}`).isTooLarge, false);
  assert.equal(split(`{"alerts":[${'0,'.repeat(100_000)}0]}`).isTooLarge, true);
  assert.equal(split(`{"a":"${'x'.repeat(1_100_000)}","alerts":[]}`, 65_536).isTooLarge, true);
});
