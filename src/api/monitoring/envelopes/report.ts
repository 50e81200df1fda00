import { randomBytes } from 'node:crypto';
import { HttpError } from '#http/errors/http-error.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';
import { createYielder } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { type EnvelopeItem, LARGEST_PAYLOAD } from './envelope-reader.ts';
import { eventIdOf, isTransaction, type ReadEvent, type Receipt, readEvent } from './event-reader.ts';
import { groupOf } from './grouping.ts';
import { readSession, readSessions, type SessionCounts, type SessionStep } from './session-reader.ts';
import { withoutNuls } from './texts.ts';

/** What one request reports. */
export interface ErrorReport {
  /** What the sender hears that it is called; null: nothing. */
  readonly id: string | null;
  /** Each of an id of its own. */
  readonly events: readonly ReportedEvent[];
  readonly steps: readonly SessionStep[];
  readonly counts: readonly SessionCounts[];
}

export interface ReportedEvent extends ReadEvent {
  readonly eventId: string;
  /** By which it is told apart from others. */
  readonly group: string;
  /** Its JSON as it came, without NUL characters: bytes, because it may wait with many others. */
  readonly payload: Buffer;
}

/** The types of items that are kept; all others are dropped. */
export const STORED_FIELDS: ReadonlySet<string> = new Set(['event', 'session', 'sessions']);

/** An event may hold whatever its bytes can, but not deeper than clients read it again. */
const BOUNDS: JsonLimits = {
  depth: 100,
  items: LARGEST_PAYLOAD,
  elements: LARGEST_PAYLOAD,
  names: LARGEST_PAYLOAD,
};

/** What the items of an envelope report. */
export async function reportOf(
  { event_id }: JsonObject,
  items: readonly EnvelopeItem[],
  receipt: Receipt,
): Promise<ErrorReport | Failure<'invalidEvent'>> {
  // The envelope's id is that of its event. Of several it is the first one's, and the others have their own.
  const idOfEnvelope = eventIdOf(event_id);
  let id = idOfEnvelope;
  const events = new Map<string, ReportedEvent>();
  const steps: SessionStep[] = [];
  const counts: SessionCounts[] = [];
  const giveWay = createYielder();
  for (const { type, payload } of items) {
    await giveWay();
    const object = await objectIn(payload);
    if (type === 'event') {
      if (object === null) return fail('invalidEvent');
      const event = reported(object, payload, receipt, events.size === 0 ? idOfEnvelope : null);
      id ??= event.eventId;
      if (!isTransaction(object) && !events.has(event.eventId)) events.set(event.eventId, event);
    } else if (object !== null) {
      const step = type === 'session' ? readSession(object) : null;
      const counted = type === 'sessions' ? readSessions(object) : null;
      if (step !== null) steps.push(step);
      if (counted !== null) counts.push(counted);
    }
  }
  return { id, events: [...events.values()], steps, counts };
}

/** What an event reports that comes alone. */
export function reportOfEvent(payload: Buffer, receipt: Receipt): Promise<ErrorReport | Failure<'invalidEvent'>> {
  return reportOf({}, [{ type: 'event', payload }], receipt);
}

function reported(event: JsonObject, payload: Buffer, receipt: Receipt, id: string | null): ReportedEvent {
  const read = readEvent(event, receipt);
  return {
    ...read,
    eventId: id ?? read.eventId ?? randomBytes(16).toString('hex'),
    group: groupOf(read),
    payload: withoutNuls(payload),
  };
}

/** The object that a JSON text is; null: it is none. */
async function objectIn(payload: Buffer): Promise<JsonObject | null> {
  try {
    const value = await parseJson(payload, BOUNDS);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}
