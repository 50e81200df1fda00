import { parseDateTime } from '#http/parameters/types.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { framesOf, usedException } from '../errors/index.ts';
import { isBlank, MESSAGE, textOf, textOrJson } from './texts.ts';

/** Reading the events of error trackers (contract/monitoring.md §12): pure. Whatever stands where, it is never refused. */

/** What is known of one report. */
export interface ReadEvent {
  /** 32 hex digits; null: it has none. */
  readonly eventId: string | null;
  /** `error` has an exception, `default` is a message alone. */
  readonly type: 'error' | 'default';
  readonly name: string;
  readonly message: string | null;
  /** The message before its values were put in: reports of one template are alike. */
  readonly template: string;
  readonly culprit: string | null;
  readonly platform: string;
  readonly level: Level;
  readonly environment: string | null;
  readonly release: string | null;
  /** Who has logged it, in the words of its program. */
  readonly logger: string | null;
  readonly user: AffectedUser | null;
  readonly tags: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** What the SDK was told to group by; empty: nothing. */
  readonly fingerprint: readonly string[];
}

type Level = 'fatal' | 'error' | 'warning' | 'info' | 'debug';

export interface AffectedUser {
  readonly id: string | null;
  readonly email: string | null;
  readonly username: string | null;
  readonly ip_address: string | null;
}

export interface Receipt {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Of the sender. */
  readonly address: string;
}

const UNNAMED_EXCEPTION = 'Error';
const UNLABELED = '<unlabeled event>';
const UNKNOWN_PLATFORM = 'other';

export function readEvent(event: JsonObject, { receivedAt, address }: Receipt): ReadEvent {
  const platform = textOf(event.platform) ?? UNKNOWN_PLATFORM;
  return {
    eventId: eventIdOf(event.event_id),
    ...kindOf(event),
    platform,
    level: LEVELS.find((level) => level === event.level) ?? 'error',
    environment: textOf(event.environment),
    release: textOf(event.release),
    logger: textOf(event.logger),
    user: userOf(event.user, address),
    tags: tagsOf(event.tags),
    occurredAt: occurredAt(event.timestamp, receivedAt),
    fingerprint: fingerprintOf(event.fingerprint),
  };
}

/** An event's id in its one form, `fc6d8c0c43fc4630ad850ee518f1b9d0`; null: there is none. */
export function eventIdOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 100) return null;
  const id = value.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : null;
}

/** Measures of what has gone well come as events too. */
export function isTransaction(event: JsonObject): boolean {
  return event.type === 'transaction';
}

const LEVELS: readonly Level[] = ['fatal', 'error', 'warning', 'info', 'debug'];

type Kind = Pick<ReadEvent, 'type' | 'name' | 'message' | 'template' | 'culprit'>;

function kindOf(event: JsonObject): Kind {
  const exception = usedException(event);
  const culprit = culpritOf(event, framesOf(exception));
  if (exception === null) return { type: 'default', ...messageOf(event), culprit };
  const message = textOrJson(exception.value, MESSAGE);
  const name = textOrJson(exception.type) ?? UNNAMED_EXCEPTION;
  return { type: 'error', name, message, template: message ?? '', culprit };
}

function messageOf({ logentry, message }: JsonObject): Pick<Kind, 'name' | 'message' | 'template'> {
  const logged = isJsonObject(logentry) ? logentry : {};
  const said: JsonObject = isJsonObject(message) ? message : {};
  const hasParts = said.formatted !== undefined || said.message !== undefined;
  const texts = [logged.formatted, logged.message, said.formatted, said.message, hasParts ? null : message];
  const text = texts.map((each) => textOrJson(each, MESSAGE)).find((each) => each !== null) ?? null;
  const template = textOrJson(logged.message, MESSAGE) ?? textOrJson(said.message, MESSAGE) ?? text ?? '';
  const line = text?.trimStart().split(/[\r\n]/, 1)[0];
  return { name: textOf(line) ?? UNLABELED, message: text, template };
}

function culpritOf({ transaction }: JsonObject, frames: readonly JsonObject[]): string | null {
  const named = textOf(transaction);
  if (!isBlank(named)) return named;
  const last = frames.at(-1);
  if (last === undefined) return null;
  const [call, place] = [textOf(last.function) ?? '', textOf(last.module) ?? textOf(last.filename) ?? ''];
  return call === '' && place === '' ? null : textOf(`${call}(${place})`);
}

/** What an SDK writes that wants to have the sender's address there. */
const SENDERS_ADDRESS = '{{auto}}';

function userOf(user: unknown, address: string): AffectedUser | null {
  if (!isJsonObject(user)) return null;
  const { id, email, username, ip_address } = user;
  const ip = ip_address === SENDERS_ADDRESS ? address : textOf(ip_address);
  const read = { id: textOf(id), email: textOf(email), username: textOf(username), ip_address: ip };
  return userKey(read) === null ? null : read;
}

/** By which users are told apart; null: it is nobody. */
export function userKey(user: AffectedUser | null): string | null {
  return user && (user.id ?? user.email ?? user.username ?? user.ip_address);
}

const MOST_TAGS = 200;

function tagsOf(tags: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(tags) ? tags.filter(Array.isArray) : isJsonObject(tags) ? Object.entries(tags) : [];
  const read = pairs.slice(0, MOST_TAGS).map(([key, value]) => [textOf(key), textOf(value, MESSAGE)] as const);
  return Object.fromEntries(read.filter(([key, value]) => key !== null && value !== null));
}

const MOST_PARTS = 1_000;

function fingerprintOf(fingerprint: unknown): readonly string[] {
  if (!Array.isArray(fingerprint)) return [];
  return fingerprint.slice(0, MOST_PARTS).flatMap((part) => textOrJson(part, MESSAGE) ?? []);
}

/** Clocks of senders go wrong by so much, in milliseconds. */
const AHEAD = 60_000;
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');

/** Of what lies further ahead, and what is no moment, nothing is known but when it came. */
function occurredAt(timestamp: unknown, receivedAt: string): string {
  const time = timeOf(timestamp);
  const isPossible = time >= FIRST && time <= Date.parse(receivedAt) + AHEAD;
  return isPossible ? new Date(time).toISOString() : receivedAt;
}

/** Unix milliseconds; NaN: it is none. */
function timeOf(timestamp: unknown): number {
  if (typeof timestamp === 'number') return Math.round(timestamp * 1000);
  if (typeof timestamp !== 'string' || timestamp.length > 100) return Number.NaN;
  const text = timestamp.trim();
  if (/^[+-]?\d+(?:\.\d*)?$/.test(text)) return Math.round(Number(text) * 1000);
  return Date.parse(parseDateTime(text) ?? '');
}
