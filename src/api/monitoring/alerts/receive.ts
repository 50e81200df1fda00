import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { defineBatchedWrite } from '#events/batched-writes.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Clock } from '#runtime/clock.ts';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { parseGenericPayload } from './generic-payload.ts';
import type { AlertSender, ParsedAlert } from './parsed-alert.ts';
import { type AlertPayload, parseLargeAlert } from './payload.ts';
import { type AlertReport, processReports, type ReportedAlert } from './process-reports.ts';
import { getWebhookElements, parseWebhookElement } from './webhook-payload.ts';

/** Estimated overhead of an alert in addition to its JSON, in bytes. */
const ALERT_OVERHEAD_BYTES = 5_120;
/** Maximum weight of one transaction, in bytes. On SQLite, a transaction blocks the event loop until it ends. */
const MAX_BATCH_BYTES = 1024 * 1024;

const getAlertWeight = ({ payload }: ParsedAlert) => ALERT_OVERHEAD_BYTES + payload.length;

/** Returns the lock key that serializes reports and updates of a project's alerts, because they change the same rows. */
export const alertsLockKey = (projectId: number) => `alerts ${projectId}`;

/** Processes a report, together with concurrent reports in one transaction. If the queue is full, it fails with a retry delay. */
const processReport = defineBatchedWrite<AlertReport, ReportedAlert[]>({
  execute: processReports,
  lockKeys: (reports) =>
    [...new Set(reports.map(({ projectId }) => projectId))].sort((a, b) => a - b).map(alertsLockKey),
  // Other code can reopen alerts without these locks.
  retryOnUniqueViolation: ['alerts_unresolved_by_fingerprint'],
  weightOf: ({ alerts }) => alerts.reduce((sum, alert) => sum + getAlertWeight(alert), 0),
  maxWeight: MAX_BATCH_BYTES,
  queue: { maxWaiting: 1_000, retryAfterSeconds: 5 },
});

/** The services that store alerts, and the tier, which decides the default grouping. */
interface ReceiveContext {
  readonly runUnitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly tier: Tier;
}

interface ReceiveInput {
  readonly projectId: number;
  readonly sender: AlertSender;
  readonly payload: AlertPayload;
  /** The waiting client; null if no client can disconnect. */
  readonly client: RequestClient | null;
}

/**
 * Processes a payload in either format (contract/monitoring.md §1 step 5). Returns the alerts that it created, was grouped into
 * or resolved, each once, after they are stored. Fails if an alert is not JSON, or if a generic payload leaves nothing to store.
 * Throws if a batch cannot be stored, so that the sender sends all of it again.
 */
export async function receiveAlerts(
  { runUnitOfWork, clock, tier }: ReceiveContext,
  db: Reader,
  { projectId, sender, payload, client }: ReceiveInput,
): Promise<readonly ReportedAlert[] | Failure<'unusablePayload'>> {
  const storeAlerts = async (alerts: readonly ParsedAlert[], waiter: Waiter): Promise<readonly ReportedAlert[]> => {
    const reportedAlerts = await processReport({ runUnitOfWork }, { projectId, alerts }, waiter);
    if (isFailure(reportedAlerts)) throw new Error(`Alerts were not stored: ${reportedAlerts.code}`);
    return reportedAlerts;
  };
  const elements = payload.largeAlerts ?? getWebhookElements(payload.value);
  if (elements === null) {
    const computesFingerprint = await isFlagEnabled(db, 'generic_alert_fingerprinting', tier, projectId);
    const alert = await parseGenericPayload(payload.value, sender, { json: payload.text, computesFingerprint });
    const reportedAlerts = await storeAlerts([alert], { client });
    return reportedAlerts.length === 0 ? fail('unusablePayload') : reportedAlerts;
  }
  const isLimited = await isFlagEnabled(db, 'prometheus_notify_max_alerts', tier, projectId);
  const selectedElements = isLimited ? elements.slice(0, MAX_LIMITED_ELEMENTS) : elements;
  const alerts = await parseElements(selectedElements, sender, clock);
  if (isFailure(alerts)) return alerts;
  const alertsByIid = new Map<number, ReportedAlert>();
  let waiter: Waiter = { client };
  for (const batch of splitIntoBatches(alerts)) {
    for (const reportedAlert of await storeAlerts(batch, waiter))
      if (!alertsByIid.has(reportedAlert.iid)) alertsByIid.set(reportedAlert.iid, reportedAlert);
    // After the first batch, the others are processed even if the queue is full or the client disconnects.
    waiter = { exemptFromLimit: true };
  }
  return [...alertsByIid.values()];
}

/** Maximum number of processed elements of a webhook payload if the flag `prometheus_notify_max_alerts` is on. */
const MAX_LIMITED_ELEMENTS = 100;

function isFlagEnabled(
  db: Reader,
  flag: 'generic_alert_fingerprinting' | 'prometheus_notify_max_alerts',
  tier: Tier,
  projectId: number,
): Promise<boolean> {
  return isFeatureEnabled(db, { flag, tier, actor: { type: 'Project', id: projectId } });
}

/** Parses the elements of a webhook payload, and skips unusable ones; yields to the event loop in between. */
async function parseElements(
  elements: readonly unknown[],
  sender: AlertSender,
  clock: Clock,
): Promise<readonly ParsedAlert[] | Failure<'unusablePayload'>> {
  const yieldIfDue = createYielder();
  const alerts: ParsedAlert[] = [];
  for (const element of elements) {
    const parsedElement = Buffer.isBuffer(element) ? await parseLargeAlert(element) : { element };
    if (isFailure(parsedElement)) return parsedElement;
    const alert = await parseWebhookElement(parsedElement.element, sender, clock.now());
    if (alert !== null) alerts.push(alert);
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return alerts;
}

/** Splits alerts into batches of at most `MAX_BATCH_BYTES`; a larger alert is alone in its batch. */
function splitIntoBatches(alerts: readonly ParsedAlert[]): readonly (readonly ParsedAlert[])[] {
  const batches: ParsedAlert[][] = [];
  // Makes the first alert begin a batch.
  let weight = Number.POSITIVE_INFINITY;
  for (const alert of alerts) {
    weight += getAlertWeight(alert);
    if (weight > MAX_BATCH_BYTES) {
      batches.push([]);
      weight = getAlertWeight(alert);
    }
    batches.at(-1)?.push(alert);
  }
  return batches;
}
