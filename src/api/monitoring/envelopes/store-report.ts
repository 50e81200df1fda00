import { errorReportsLockKey, findIngestionLimits } from '#domain/error-tracking.ts';
import { defineBatchedWrite } from '#events/batched-writes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { ReportSender } from './access.ts';
import { addEvents, type EventToAdd } from './add-events.ts';
import { addSessions } from './add-sessions.ts';
import { findEvents } from './errors-store.ts';
import { rateOf } from './event-rate.ts';
import type { ErrorReport, ReportedEvent } from './report.ts';

/** What is kept of a report in one go: all of it, unless it is very large. */
interface Piece extends Omit<ErrorReport, 'id'> {
  readonly sender: ReportSender;
  /** All events of the report, in its first piece: it is refused as a whole when they are too many. */
  readonly counted: readonly ReportedEvent[];
}

type No = Failure<'rejected' | 'rateLimited'>;

/** What events and sessions weigh beside their JSON, in bytes. */
const EVENT = 8_192;
const SESSION = 2_048;
/** One transaction takes so much: on SQLite it is one turn of the event loop. */
const MOST = 2 * 1024 * 1024;

const weightOf = ({ payload }: ReportedEvent) => EVENT + payload.length;

/** All reports that come at the same time are kept by one verb, in one transaction. */
const keepPiece = defineBatchedWrite<Piece, null>({
  execute: keepPieces,
  lockKeys: (pieces) => [...new Set(pieces.map(({ sender }) => errorReportsLockKey(sender.projectId)))].sort(),
  weightOf: ({ events, steps, counts }) =>
    events.reduce((sum, event) => sum + weightOf(event), 0) + (steps.length + counts.length) * SESSION,
  maxWeight: MOST,
  queue: { maxWaiting: 1_000, retryAfter: 5 },
});

/** Keeps what a report brings; it is durable when this resolves. One that is refused has left nothing. */
export async function keep(
  services: Services,
  sender: ReportSender,
  report: ErrorReport,
  client: RequestClient,
): Promise<No | null> {
  for (const [index, piece] of piecesOf(sender, report).entries()) {
    // What has begun comes to its end, whoever waits or goes.
    const no = await keepPiece(services, piece, index === 0 ? { client } : { exemptFromLimit: true });
    if (isFailure(no)) return no as No;
  }
  return null;
}

function piecesOf(sender: ReportSender, { events, steps, counts }: ErrorReport): readonly Piece[] {
  if (events.length + steps.length + counts.length === 0) return [];
  const pieces: ReportedEvent[][] = [[]];
  let weight = 0;
  for (const event of events) {
    weight += weightOf(event);
    if (weight > MOST) {
      pieces.push([]);
      weight = weightOf(event);
    }
    pieces.at(-1)?.push(event);
  }
  return pieces.map((some, index) => ({
    sender,
    events: some,
    ...(index === 0 ? { counted: events, steps, counts } : { counted: [], steps: [], counts: [] }),
  }));
}

const nameOf = ({ projectId }: ReportSender, { eventId }: ReportedEvent) => `${projectId} ${eventId}`;

async function keepPieces(uow: UnitOfWork, pieces: readonly Piece[]): Promise<readonly (null | No)[]> {
  const reportingOf = await senders(uow, pieces);
  const known = await knownEvents(uow, pieces);
  const rate = await rateOf(
    uow,
    pieces.map(({ sender }) => sender.projectId),
  );
  const answers: (null | No)[] = [];
  const kept: (Piece & ReportSender)[] = [];
  const events: EventToAdd[] = [];
  for (const piece of pieces) {
    const { sender } = piece;
    const reporting = reportingOf(sender);
    const isNew = (event: ReportedEvent) => !known.has(nameOf(sender, event));
    const seconds = reporting && rate.take(sender.projectId, piece.counted.filter(isNew).length, reporting);
    if (reporting === null) answers.push(fail('rejected'));
    else if (seconds !== null) answers.push(fail('rateLimited', { seconds }));
    else {
      answers.push(null);
      kept.push({ ...piece, ...sender });
      for (const event of piece.events.filter(isNew)) {
        known.add(nameOf(sender, event));
        events.push({ ...event, projectId: sender.projectId });
      }
    }
  }
  await rate.write();
  await addEvents(uow, events);
  await addSessions(uow, kept);
  return answers;
}

/** How each of the senders may report now: it may have taken minutes until his report was here. */
async function senders(uow: UnitOfWork, pieces: readonly Piece[]) {
  const known = new Map<string, Awaited<ReturnType<typeof findIngestionLimits>>>();
  for (const { sender } of pieces) {
    const name = `${sender.projectId} ${sender.key}`;
    if (!known.has(name)) known.set(name, await findIngestionLimits(uow, { ...sender, tier: uow.tier }));
  }
  return ({ projectId, key }: ReportSender) => known.get(`${projectId} ${key}`) ?? null;
}

async function knownEvents(uow: UnitOfWork, pieces: readonly Piece[]): Promise<Set<string>> {
  const asked = new Map<string, { project_id: number; event_id: string }>();
  for (const { sender, events, counted } of pieces) {
    for (const event of [...events, ...counted]) {
      asked.set(nameOf(sender, event), { project_id: sender.projectId, event_id: event.eventId });
    }
  }
  const found = await findEvents(uow, [...asked.values()]);
  return new Set(found.map(({ project_id, event_id }) => `${project_id} ${event_id}`));
}
