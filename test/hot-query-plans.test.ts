import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createTestIntegration } from '#api/monitoring/alerts/fixtures.testing.ts';
import { buildEventEnvelope } from '#api/monitoring/envelopes/sdk.testing.ts';
import type { Transaction } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import { getSession } from '#database/sessions.ts';
import { runnerRow } from './support/pipeline-rows.ts';
import { watchReads } from './support/statement-watch.ts';
import { expectSuccess, world } from './support/world.ts';

// Checks the query plans of the most frequent requests: which index finds each row, also in prepared statements.

const here = await world({ project: {} });
const { anonymous, newGroup, project, root } = here;
const { database } = here.server.services;
const { engine } = getSession(database.reader);

/** Every statement that this brings to the database, in transactions and outside of them, each text once. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen = new Map<string, Statement>();
  const watch = (statement: Statement) => void seen.set(statement.sql, statement);
  const ends = watchReads(database, watch);
  const { begin } = engine;
  engine.begin = async (...options) => {
    const open = await begin.apply(engine, options);
    return {
      ...open,
      execute(statement) {
        watch(statement);
        return open.execute(statement);
      },
    };
  };
  try {
    await work();
  } finally {
    ends();
    engine.begin = begin;
  }
  return [...seen.values()];
}

/** Part of a statement -> the index in its plan, on SQLite or PostgreSQL. Each part must occur in some statement. */
type Served = readonly (readonly [part: RegExp, index: RegExp])[];

async function areServed(statements: readonly Statement[], served: Served): Promise<void> {
  await database.transaction(async (tx) => {
    await believeLarge(tx);
    for (const [part, index] of served) {
      const asked = statements.filter(({ sql }) => part.test(sql));
      assert.ok(asked.length > 0, `no statement is like ${part}`);
      for (const statement of asked) {
        const plan = (await explainPlan(tx, { compile: () => statement })).join('\n');
        assert.match(plan, index, `${statement.sql}\n${plan}`);
        assert.doesNotMatch(plan, /SCAN (?!given|cells|CONSTANT|\d+ CONSTANT)\w+\b(?! USING)|Seq Scan/, plan);
      }
    }
  });
}

/** PostgreSQL uses any index on a table with one row, so the statistics claim ten million rows. */
async function believeLarge(tx: Transaction): Promise<void> {
  if (engine.name !== 'postgres') return;
  await sql`update pg_class set reltuples = 1e7, relpages = 1 where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(
    tx,
  );
}

const KEY = (table: string) =>
  new RegExp(`${table}_pkey|${table} USING (?:INTEGER PRIMARY KEY|COVERING INDEX|INDEX sqlite_autoindex)`);

test('every query for an alert uses an index', async () => {
  const { notify } = await createTestIntegration(here, project);
  const payload = { title: 'Disk', fingerprint: 'disk', gitlab_environment_name: 'production' };
  const statements = await statementsOf(async () => {
    for (const more of [{}, {}, { end_time: '2026-02-13T10:20:00Z' }])
      await expectSuccess(notify({ ...payload, ...more }));
  });
  await areServed(statements, [
    [/from "routes" where "full_path_key"/, /routes_by_full_path/],
    [/from "alert_integrations" where .*"endpoint_identifier"/, /alert_integrations_by_endpoint/],
    [/cross join "alerts"/, /alerts_unresolved_by_fingerprint/],
    [/cross join "environments"/, /environments_by_name/],
    [/update "alerts" set "event_count"/, KEY('alerts')],
    [/update "alerts" set "status"/, KEY('alerts')],
    [/from "users" where "username_key"/, /users_by_username/],
  ]);
});

test('every query for an error report uses an index', async () => {
  const { public_key } = (await expectSuccess(project.owner.post(`${project.at}/error_tracking/client_keys`))).body;
  const event = { message: 'no', user: { id: 1 }, environment: 'production' };
  const raw = buildEventEnvelope({ ...event, event_id: '1'.padStart(32, '0') });
  const statements = await statementsOf(async () => {
    const headers = { 'Content-Type': 'application/x-sentry-envelope' };
    for (const _again of [1, 2]) {
      await expectSuccess(
        anonymous.send('POST', `//api/${project.id}/envelope/?sentry_key=${public_key}`, { raw, headers }),
      );
    }
  });
  await areServed(statements, [
    [/"public_key" =/, /client_keys_by_public_key/],
    [/cross join "error_events"/, /error_events_by_event_id/],
    [/from "ingestion_windows"/, KEY('ingestion_windows')],
    [/update "errors" set "user_count"/, KEY('errors')],
  ]);
});

test('every query for a runner that finds no job uses an index', async () => {
  const { token } = await runnerRow(here, { projects: [project.id] });
  const params = { token, system_id: 's_1', info: { version: '18' } };
  const statements = await statementsOf(async () => {
    for (const _again of [1, 2]) assert.equal((await anonymous.send('POST', '/jobs/request', { params })).status, 204);
  });
  await areServed(statements, [
    [/from "runners" where "runners"\."token_digest"/, /runners_by_token/],
    [/from "runner_managers" where/, /runner_managers_by_system_id/],
    [/from "runner_projects" left join "runner_queues"/, /runner_projects_by_runner/],
    [/from "jobs" where "status" = 'pending' limit/, /jobs_pending/],
    [/update "runners" set/, KEY('runners')],
  ]);
});

test('lists that return a small part of a table use an index', async () => {
  const group = await newGroup();
  const issue = (await expectSuccess(project.owner.post(`${project.at}/issues`, { title: 'Leak' }))).body;
  const statements = await statementsOf(async () => {
    await expectSuccess(root.get(`/groups/${group.id}/issues`, { search: 'leak', state: 'opened', weight: 3 }));
    await expectSuccess(root.get(`${project.at}/issues/${issue.iid}/participants`));
    await expectSuccess(root.get('/namespaces'));
  });
  await areServed(statements, [
    [/select "issues"\."id" as "id", count\(\*\) over/, /InitPlan|issues USING INTEGER PRIMARY KEY/],
    [/from "users" where users\.id in \(select (?:\?|\$1) union all/, KEY('users')],
    [/from "memberships" where "expires_at" <=/, /memberships_by_expiry|Index Scan using memberships_by_source/],
  ]);
});
