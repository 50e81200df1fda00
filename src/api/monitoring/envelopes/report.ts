import { hash, randomBytes } from 'node:crypto';
import { HttpError } from '#http/errors/http-error.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { type EnvelopeItem, MAX_PAYLOAD_BYTES } from './envelope-reader.ts';
import { isTransaction, type ParsedEvent, parseEvent, parseEventId, type Receipt } from './event-reader.ts';
import { parseSession, parseSessionCounts, type SessionCounts, type SessionUpdate } from './session-reader.ts';
import { removeNulCharacters } from './texts.ts';

/** The events and sessions of one request. */
export interface ErrorReport {
  /** The id that the response contains: of the envelope or its first event; null if there is neither. */
  readonly id: string | null;
  /** Events with distinct ids. */
  readonly events: readonly ReportedEvent[];
  readonly sessionUpdates: readonly SessionUpdate[];
  readonly sessionCounts: readonly SessionCounts[];
}

/** An event with its id, its group and its JSON. */
export interface ReportedEvent extends ParsedEvent {
  readonly eventId: string;
  /** Identifies the error that the event belongs to, within a project. */
  readonly groupHash: string;
  /** The JSON as received, without NUL characters. Kept as bytes, which take less memory while the event is queued. */
  readonly payload: Buffer;
}

/** The types of items that are stored; all others are dropped. */
export const STORED_ITEM_TYPES: ReadonlySet<string> = new Set(['event', 'session', 'sessions']);

/** Only the size and the depth of an event are limited. Clients must be able to parse the depth. */
const JSON_LIMITS: JsonLimits = {
  depth: 100,
  itemsPerValue: MAX_PAYLOAD_BYTES,
  totalItems: MAX_PAYLOAD_BYTES,
  nameBytes: MAX_PAYLOAD_BYTES,
};

/** Builds the report of an envelope from its header and its items. */
export async function buildReport(
  { event_id }: JsonObject,
  items: readonly EnvelopeItem[],
  receipt: Receipt,
): Promise<ErrorReport | Failure<'invalidEvent'>> {
  // The envelope's id is the id of its first event. Further events have their own ids.
  const envelopeId = parseEventId(event_id);
  let id = envelopeId;
  const events = new Map<string, ReportedEvent>();
  const sessionUpdates: SessionUpdate[] = [];
  const sessionCounts: SessionCounts[] = [];
  const yieldIfDue = createYielder();
  for (const { type, payload } of items) {
    await yieldIfDue();
    const object = await parseObject(payload);
    if (type === 'event') {
      if (object === null) return fail('invalidEvent');
      const event = toReportedEvent(object, payload, receipt, events.size === 0 ? envelopeId : null);
      id ??= event.eventId;
      if (!isTransaction(object) && !events.has(event.eventId)) events.set(event.eventId, event);
    } else if (object !== null) {
      const update = type === 'session' ? parseSession(object) : null;
      const counts = type === 'sessions' ? parseSessionCounts(object) : null;
      if (update !== null) sessionUpdates.push(update);
      if (counts !== null) sessionCounts.push(counts);
    }
  }
  return { id, events: [...events.values()], sessionUpdates, sessionCounts };
}

/** Builds the report of an event that was sent without an envelope. */
export function buildEventReport(payload: Buffer, receipt: Receipt): Promise<ErrorReport | Failure<'invalidEvent'>> {
  return buildReport({}, [{ type: 'event', payload }], receipt);
}

/** Parses an event. Its id is `id`, its own id, or else a random one. */
function toReportedEvent(event: JsonObject, payload: Buffer, receipt: Receipt, id: string | null): ReportedEvent {
  const parsedEvent = parseEvent(event, receipt);
  return {
    ...parsedEvent,
    eventId: id ?? parsedEvent.eventId ?? randomBytes(16).toString('hex'),
    groupHash: computeGroupHash(parsedEvent),
    payload: removeNulCharacters(payload),
  };
}

/** Parses a JSON object; returns null if the text is invalid or not an object. */
async function parseObject(payload: Buffer): Promise<JsonObject | null> {
  try {
    const value = await parseJson(payload, JSON_LIMITS);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

// Groups reports of the same error (contract/monitoring.md §12 "Grouping"). Pure.

type GroupingFields = Pick<
  ParsedEvent,
  'type' | 'name' | 'message' | 'template' | 'culprit' | 'platform' | 'fingerprint'
>;

/** Placeholder in an SDK's fingerprint; it is replaced by the parts of the default grouping. */
const DEFAULT_PLACEHOLDER = /^\{\{\s*default\s*\}\}$/;

/** Returns the SHA-1 of the grouping parts, 40 hex digits. Reports with the same hash belong to the same error. */
export function computeGroupHash(event: GroupingFields): string {
  return hash('sha1', JSON.stringify(getGroupingParts(event)));
}

/** Returns the SDK's fingerprint with its placeholders replaced, or the default parts if the SDK sent none. */
function getGroupingParts(event: GroupingFields): readonly (string | null)[] {
  if (event.fingerprint.length === 0) return getDefaultParts(event);
  return event.fingerprint.flatMap((part) => (DEFAULT_PLACEHOLDER.test(part) ? getDefaultParts(event) : part));
}

/**
 * Returns the parts of the default grouping. Those of an exception contain its message only if the culprit is unknown: a
 * message often names the affected object, which would split one error into many.
 */
function getDefaultParts({
  type,
  name,
  message,
  template,
  culprit,
  platform,
}: GroupingFields): readonly (string | null)[] {
  return type === 'error'
    ? ['exception', name, culprit === null ? message : removeUrlDetails(culprit), platform]
    : ['message', template, platform];
}

/**
 * Removes host and query from a script's URL in a culprit such as `pay(https://shop.example/app.js?v=2)`, as Sentry does: one
 * application has many addresses.
 */
function removeUrlDetails(culprit: string): string {
  const [, before, path = ''] = /^([^(]*\()https?:\/\/[^/?#)]*(\/[^?#)]*)?(?:[?#][^)]*)?\)$/i.exec(culprit) ?? [];
  return before === undefined ? culprit : `${before}${path})`;
}
