import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openDatabase, type Reader } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { startLoadBalancer } from '../support/server-pair.ts';
import { startVictim, type Victim } from './process.ts';
import { asked } from './request.ts';

/** The acknowledged alerts and error reports: none may be lost or counted twice. */
interface Told {
  /** By title: how often an alert was sent, and how often that was answered. */
  readonly alerts: Map<string, { sent: number; taken: number }>;
  /** The ids of events, and of sessions. */
  readonly events: Set<string>;
  readonly sessions: Set<string>;
}

interface Target {
  readonly projectId: number;
  /** Path of the integration, and its token. */
  readonly alerts: { readonly path: string; readonly token: string };
  /** The client key, which is sent in the query. */
  readonly envelopes: string;
}

export interface Storms {
  readonly rounds: number;
  readonly dataDir: string;
  /** The URL of a PostgreSQL database: two servers share it, and one of them is killed while the other keeps running. */
  readonly databaseUrl?: string | undefined;
}

/** Answers after which a server is killed, later in each round. */
const ANSWERS = 200;
const SENDERS = 8;

/** Kills a server in the middle of a storm of alerts and reports, starts it again, and looks for loss, round after round. */
export async function storm({ rounds, dataDir, databaseUrl }: Storms): Promise<void> {
  const told: Told = { alerts: new Map(), events: new Set(), sessions: new Set() };
  let victim = await startVictim(dataDir, databaseUrl);
  let other = databaseUrl === undefined ? null : await startVictim(dataDir, databaseUrl);
  const addresses = () => [victim, ...(other ? [other] : [])].map(({ address }) => address);
  const dealer = await startLoadBalancer(addresses());
  try {
    const target = await makeTarget(victim);
    for (let round = 0; round < rounds; round++) {
      const blowing = blow(dealer.address, target, round, told);
      await blowing.answered(ANSWERS + 37 * round);
      await victim.kill();
      if (other) {
        dealer.setTargets([other.address]);
        await blowing.answered(ANSWERS);
      }
      await blowing.end();
      victim = await startVictim(dataDir, databaseUrl);
      if (other) [victim, other] = [other, victim];
      dealer.setTargets(addresses());
      await look(target, told, { dataDir, databaseUrl });
    }
  } finally {
    await dealer.stop();
    await victim.stop();
    await other?.stop();
  }
}

/** A project, an integration, a client key. */
interface Made {
  readonly id: number;
  readonly url: string;
  readonly token: string;
  readonly public_key: string;
}

async function makeTarget(victim: Victim): Promise<Target> {
  const { id }: Made = await asked(victim, 'POST', '/projects', { name: 'storm' });
  const { url, token }: Made = await asked(victim, 'POST', `/projects/${id}/alert_integrations`, { name: 'storm' });
  const tracking = `/projects/${id}/error_tracking`;
  const { public_key }: Made = await asked(victim, 'POST', `${tracking}/client_keys`, {});
  await asked(victim, 'PUT', `${tracking}/ingestion_settings`, { events_per_minute: null });
  const envelopes = `/errortracking/api/v1/projects/api/${id}/envelope/?sentry_key=${public_key}`;
  return { projectId: id, alerts: { path: new URL(url).pathname, token }, envelopes };
}

/** Runs senders of each kind until they are stopped. */
function blow(address: string, target: Target, round: number, told: Told) {
  let running = true;
  let answers = 0;
  let heard = Promise.withResolvers<void>();
  const send = async (path: string, body: string, token?: string): Promise<boolean> => {
    try {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const answer = await fetch(address + path, { method: 'POST', headers, body });
      const text = await answer.text();
      assert.ok(answer.status < 500 || answer.status === 503, `${answer.status} ${text}`);
      if (!answer.ok) return false;
      answers++;
      heard.resolve();
      heard = Promise.withResolvers();
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
  };
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let index = 0; running; index++) {
      // Every other one is like those of other senders.
      const name = index % 2 === 0 ? `of round ${round}` : `${round}.${sender}.${index}`;
      await sendAlert(name, told, (body) => send(target.alerts.path, body, target.alerts.token));
      await sendReports(name, told, (body) => send(target.envelopes, body));
    }
  });
  return {
    async answered(more: number) {
      const enough = answers + more;
      while (answers < enough) await heard.promise;
    },
    async end() {
      running = false;
      await Promise.all(senders);
    },
  };
}

type Send = (body: string) => Promise<boolean>;

async function sendAlert(title: string, { alerts }: Told, send: Send): Promise<void> {
  const counts = alerts.get(title) ?? { sent: 0, taken: 0 };
  alerts.set(title, counts);
  counts.sent++;
  if (await send(JSON.stringify({ title, fingerprint: title }))) counts.taken++;
}

async function sendReports(name: string, { events, sessions }: Told, send: Send): Promise<void> {
  const [id, sid] = [randomUUID().replaceAll('-', ''), randomUUID()];
  const event = { event_id: id, exception: [{ type: name, value: 'storm' }], user: { id: sid } };
  const session = { sid, init: true, status: 'exited', attrs: { release: 'storm@1' } };
  const lines = [{ event_id: id }, { type: 'event' }, event, { type: 'session' }, session];
  if (!(await send(lines.map((line) => JSON.stringify(line)).join('\n')))) return;
  events.add(id);
  sessions.add(sid);
}

/** Asserts after a restart that acknowledged events exist once and that the counters match the rows. */
async function look({ projectId }: Target, told: Told, place: Pick<Storms, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const database = await openDatabase({ url: place.databaseUrl, dataDir: place.dataDir, clock: systemClock });
  try {
    await lookAtAlerts(database.reader, projectId, told);
    await lookAtErrors(database.reader, projectId, told);
    await lookAtSessions(database.reader, projectId, told);
  } finally {
    await database.close();
  }
}

async function lookAtAlerts(db: Reader, projectId: number, { alerts }: Told): Promise<void> {
  const rows = await db
    .selectFrom('alerts')
    .select(['iid', 'title', 'event_count'])
    .where('project_id', '=', projectId)
    .orderBy('iid')
    .execute();
  assert.deepEqual(
    rows.map(({ iid }) => iid),
    rows.map((_, index) => index + 1),
    'the numbers of alerts have gaps',
  );
  const counts = new Map(rows.map(({ title, event_count }) => [title, event_count]));
  assert.equal(counts.size, rows.length, 'an alert is there twice');
  for (const [title, { sent, taken }] of alerts) {
    const count = counts.get(title) ?? 0;
    assert.ok(count >= taken && count <= sent, `${title}: sent ${sent}, taken ${taken}, counted ${count}`);
  }
  const notes = await db
    .selectFrom('alert_notes')
    .innerJoin('alerts', 'alerts.id', 'alert_notes.alert_id')
    .select('alerts.iid')
    .where('alerts.project_id', '=', projectId)
    .orderBy('alerts.iid')
    .execute();
  assert.deepEqual(
    notes,
    rows.map(({ iid }) => ({ iid })),
    'an alert has not just the note of its beginning',
  );
}

async function lookAtErrors(db: Reader, projectId: number, { events }: Told): Promise<void> {
  const rows = await db
    .selectFrom('error_events')
    .select(['event_id', 'error_id'])
    .where('project_id', '=', projectId)
    .execute();
  const there = new Set(rows.map(({ event_id }) => event_id));
  assert.deepEqual(
    [...events].filter((id) => !there.has(id)),
    [],
    'acknowledged events are lost',
  );
  const errors = await db
    .selectFrom('errors')
    .select(['id', 'name', 'event_count', 'user_count'])
    .where('project_id', '=', projectId)
    .execute();
  const each = Map.groupBy(rows, ({ error_id }) => error_id);
  for (const { id, name, event_count, user_count } of errors) {
    const count = each.get(id)?.length ?? 0;
    assert.deepEqual([name, event_count, user_count], [name, count, count]);
  }
  assert.equal(errors.length, each.size);
}

async function lookAtSessions(db: Reader, projectId: number, { sessions }: Told): Promise<void> {
  const states = await db.selectFrom('session_states').select('sid').where('project_id', '=', projectId).execute();
  const there = new Set(states.map(({ sid }) => sid));
  assert.deepEqual(
    [...sessions].filter((sid) => !there.has(sid)),
    [],
    'acknowledged sessions are lost',
  );
  const buckets = await db
    .selectFrom('session_buckets')
    .select(['release', 'total', 'exited'])
    .where('project_id', '=', projectId)
    .execute();
  assert.deepEqual(buckets, [{ release: 'storm@1', total: states.length, exited: states.length }]);
}
