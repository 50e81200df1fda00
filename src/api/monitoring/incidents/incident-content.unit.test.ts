import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildIncidentDescription, buildIncidentTitle, type IncidentAlert, toIncidentSeverity } from './create.ts';

const ALERT: IncidentAlert = {
  title: 'Disk full',
  description: null,
  severity: 'high',
  started_at: '2026-02-13T10:20:59.000Z',
  metric_query: null,
  service: null,
  monitoring_tool: null,
  hosts: '[]',
  incident_markdown: null,
};
const URL = 'https://hearth.example.com/acme/web/-/alert_management/12/details';

const describeIncident = (alert: Partial<IncidentAlert> = {}, template: string | null = null) =>
  buildIncidentDescription({ ...ALERT, ...alert }, { url: URL, template });

test('states start, severity and URL of the alert in the incident', () => {
  assert.equal(
    describeIncident(),
    ['**Start time:** 13 February 2026, 10:20AM (UTC)', '**Severity:** high', `**Alert:** ${URL}`].join('  \n'),
  );
});

test('lists the other known fields of the alert in a fixed order', () => {
  const all = describeIncident({
    description: '97% on /var',
    metric_query: 'up == 0',
    service: 'db',
    monitoring_tool: 'Datadog',
    hosts: '["a","b"]',
  });
  assert.deepEqual(all.split('  \n').slice(2, -1), [
    '**full_query:** `up == 0`',
    '**Service:** db',
    '**Monitoring tool:** Datadog',
    '**Hosts:** a b',
    '**Description:** 97% on /var',
  ]);
});

test('appends the Markdown of the alert and the template, each after a horizontal rule', () => {
  const [summary, ...rest] = describeIncident({ incident_markdown: '# Runbook' }, '/label ~incident').split(
    '\n\n---\n\n',
  );
  assert.equal(summary, describeIncident());
  assert.deepEqual(rest, ['# Runbook', '/label ~incident']);
  assert.deepEqual(describeIncident({ incident_markdown: ' ' }, '').split('---').length, 1);
});

test('formats timestamps in words', () => {
  const timeOf = (started_at: string) => describeIncident({ started_at }).split('  \n')[0];
  assert.equal(timeOf('2026-12-01T00:05:00.000Z'), '**Start time:** 01 December 2026, 12:05AM (UTC)');
  assert.equal(timeOf('2026-07-31T12:00:00.000Z'), '**Start time:** 31 July 2026, 12:00PM (UTC)');
  assert.equal(timeOf('2026-07-31T23:59:59.999Z'), '**Start time:** 31 July 2026, 11:59PM (UTC)');
});

test('truncates the description to the limit of issues without splitting a character', () => {
  const text = describeIncident({}, 'ü'.repeat(700_000));
  assert.ok(Buffer.byteLength(text) <= 1024 * 1024 && Buffer.byteLength(text) > 1024 * 1024 - 4);
  assert.ok(text.endsWith('ü'));
});

test('titles the incident of an unnamed alert with its number', () => {
  assert.equal(buildIncidentTitle({ title: 'New: Alert' })(7), 'New: Incident 7');
  assert.equal(buildIncidentTitle({ title: 'New: Alert!' })(7), 'New: Alert!');
});

test('issues know no severity info', () => {
  const all = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const;
  assert.deepEqual(all.map(toIncidentSeverity), ['critical', 'high', 'medium', 'low', 'unknown', 'unknown']);
});
