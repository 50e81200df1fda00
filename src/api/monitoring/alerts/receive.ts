import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { defineBatchedWrite } from '#events/batched-writes.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Clock } from '#runtime/clock.ts';
import { createYielder, type RequestClient, type Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { readGeneric } from './generic-payload.ts';
import type { AlertSource, ParsedAlert } from './parsed-alert.ts';
import type { AlertPayload } from './payload.ts';
import { type AlertReport, processReports, type Reported } from './process-reports.ts';
import { readElement, webhookAlerts } from './webhook-payload.ts';

/** Alerts of one transaction; a payload with more is reported piece by piece. */
const MOST = 200;

/** Those who bring alerts, or change them, one after another in each project: they count on, and meet in, the same rows. */
export const alertsLockKey = (projectId: number) => `alerts ${projectId}`;

/** What senders bring at the same time is one transaction. Those that wait beyond a thousand hear when to come back. */
const report = defineBatchedWrite<AlertReport, Reported[]>({
  execute: processReports,
  lockKeys: (reports) =>
    [...new Set(reports.map(({ projectId }) => projectId))].sort((a, b) => a - b).map(alertsLockKey),
  // Alerts are taken out of their end by others too, who do not wait for the turn of each.
  retryOnUniqueViolation: ['alerts_unresolved_by_fingerprint'],
  weightOf: ({ alerts }) => alerts.length,
  maxWeight: MOST,
  queue: { maxWaiting: 1_000, retryAfter: 5 },
});

interface Receiving {
  readonly runUnitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly tier: Tier;
}

interface Received {
  readonly projectId: number;
  readonly sender: AlertSource;
  readonly payload: AlertPayload;
  /** For whom it is done; nobody who could go: null. */
  readonly client: RequestClient | null;
}

/**
 * What a project makes of a payload that one of its integrations was sent, in whatever format (contract/monitoring.md §1
 * step 5): the alerts it has made, was grouped into or has resolved, each once; stored when they are told. Failure when a generic
 * one leaves nothing to store.
 */
export async function receive(
  { runUnitOfWork, clock, tier }: Receiving,
  db: Reader,
  { projectId, sender, payload, client }: Received,
): Promise<readonly Reported[] | Failure<'broken'>> {
  const elements = webhookAlerts(payload.value);
  if (elements === null) {
    const fingerprints = await isOn(db, 'generic_alert_fingerprinting', tier, projectId);
    const alert = await readGeneric(payload.value, sender, { text: payload.text, fingerprints });
    const reported = await report({ runUnitOfWork }, { projectId, alerts: [alert] }, { client });
    return isFailure(reported) || reported.length === 0 ? fail('broken') : reported;
  }
  const isCut = await isOn(db, 'prometheus_notify_max_alerts', tier, projectId);
  const taken = isCut ? elements.slice(0, MOST_WHERE_CUT) : elements;
  const found = new Map<number, Reported>();
  let waiter: Waiter = { client };
  for await (const alerts of inPieces(taken, sender, clock)) {
    const reported = await report({ runUnitOfWork }, { projectId, alerts }, waiter);
    if (!isFailure(reported)) for (const each of reported) if (!found.has(each.iid)) found.set(each.iid, each);
    // What has begun comes to its end.
    waiter = { exemptFromLimit: true };
  }
  return [...found.values()];
}

/** Elements of a webhook payload that are processed where the flag is on. */
const MOST_WHERE_CUT = 100;

function isOn(
  db: Reader,
  flag: 'generic_alert_fingerprinting' | 'prometheus_notify_max_alerts',
  tier: Tier,
  projectId: number,
): Promise<boolean> {
  return isFeatureEnabled(db, { flag, tier, actor: { type: 'Project', id: projectId } });
}

/** The alerts of a payload in its order, as many at a time as one transaction takes; others have their turns meanwhile. */
async function* inPieces(
  elements: readonly unknown[],
  sender: AlertSource,
  clock: Clock,
): AsyncGenerator<ParsedAlert[]> {
  const giveWay = createYielder();
  let alerts: ParsedAlert[] = [];
  for (const element of elements) {
    const alert = await readElement(element, sender, clock.now());
    if (alert !== null) alerts.push(alert);
    if (alerts.length === MOST) {
      yield alerts;
      alerts = [];
    }
    const way = giveWay();
    if (way !== undefined) await way;
  }
  if (alerts.length > 0) yield alerts;
}
