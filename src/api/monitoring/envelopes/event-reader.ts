import { parseDateTime } from '#http/parameters/types.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { getAttribute, getEventFrames, selectCulpritFrame, selectException } from '../errors/index.ts';
import { isBlank, MAX_MESSAGE_LENGTH, toText, toTextOrJson } from './texts.ts';

// Parses error events of SDKs (contract/monitoring.md §12). Pure. Accepts every JSON object; invalid fields are ignored.

/** The fields of an event that Hearth uses. */
export interface ParsedEvent {
  /** 32 hex digits, or null if the SDK sent no valid id. */
  readonly eventId: string | null;
  /** `error`: with an exception; `default`: a message, with or without a stack. */
  readonly type: 'error' | 'default';
  readonly name: string;
  readonly message: string | null;
  /** The message without its values. Messages with the same template belong to the same error. */
  readonly template: string;
  readonly culprit: string | null;
  readonly platform: string;
  readonly level: Level;
  readonly environment: string | null;
  readonly release: string | null;
  /** Name of the logger in the reporting program. */
  readonly logger: string | null;
  readonly user: AffectedUser | null;
  readonly tags: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** The SDK's own grouping, or an empty list for the default grouping. */
  readonly fingerprint: readonly string[];
}

type Level = 'fatal' | 'error' | 'warning' | 'info' | 'debug';

/** The end user of the reporting program who was affected by the error. */
interface AffectedUser {
  readonly id: string | null;
  readonly email: string | null;
  readonly username: string | null;
  readonly ip_address: string | null;
}

/** When and from where a report was received. */
export interface Receipt {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** IP address of the sender. */
  readonly address: string;
}

const UNNAMED_EXCEPTION = 'Error';
const UNLABELED_EVENT = '<unlabeled event>';
const UNKNOWN_PLATFORM = 'other';

/** Parses an event. Replaces missing and invalid fields by defaults. */
export function parseEvent(event: JsonObject, { receivedAt, address }: Receipt): ParsedEvent {
  const platform = toText(event.platform) ?? UNKNOWN_PLATFORM;
  return {
    eventId: parseEventId(event.event_id),
    ...parseContent(event),
    platform,
    level: parseLevel(event.level),
    environment: toText(event.environment),
    release: toText(event.release),
    logger: toText(event.logger),
    user: parseUser(event, address),
    tags: parseTags(event.tags),
    occurredAt: parseOccurredAt(event.timestamp, receivedAt),
    fingerprint: parseFingerprint(event.fingerprint),
  };
}

/** Normalizes an event id to the form `fc6d8c0c43fc4630ad850ee518f1b9d0`. Returns null if the value is not a valid id. */
export function parseEventId(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 100) return null;
  const id = value.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : null;
}

/** Returns whether the event is a performance measurement, which SDKs also send as events. */
export function isTransaction(event: JsonObject): boolean {
  return event.type === 'transaction';
}

/** Levels by the names and the numbers (those of Python's logging) that SDKs send, in lower case. */
const LEVELS: Readonly<Record<string, Level>> = {
  fatal: 'fatal',
  critical: 'fatal',
  error: 'error',
  warning: 'warning',
  warn: 'warning',
  info: 'info',
  log: 'info',
  debug: 'debug',
  10: 'debug',
  20: 'info',
  30: 'warning',
  40: 'error',
  50: 'fatal',
};

/** Returns the level, or `error` if it is missing or unknown. */
function parseLevel(value: unknown): Level {
  const name = toText(value)?.trim().toLowerCase() ?? '';
  return Object.hasOwn(LEVELS, name) ? (LEVELS[name] as Level) : 'error';
}

type EventContent = Pick<ParsedEvent, 'type' | 'name' | 'message' | 'template' | 'culprit'>;

function parseContent(event: JsonObject): EventContent {
  const exception = selectException(event);
  const culprit = parseCulprit(event);
  const messageContent = parseMessage(event);
  const isMessage = exception === null || (!isBlank(messageContent.message) && isStackOfMessage(exception));
  if (isMessage) return { type: 'default', ...messageContent, culprit };
  const message = toTextOrJson(exception.value, MAX_MESSAGE_LENGTH);
  const name = toTextOrJson(exception.type) ?? UNNAMED_EXCEPTION;
  return { type: 'error', name, message, template: message ?? '', culprit };
}

/** Returns whether an exception only carries the stack of a message: it has no type, or the SDK made it up. */
function isStackOfMessage({ type, mechanism }: JsonObject): boolean {
  return toTextOrJson(type) === null || (isJsonObject(mechanism) && mechanism.synthetic === true);
}

/**
 * Returns the text of a message, from `logentry` or `message`. A formatted text takes precedence over its template with
 * parameters. The first line is the name.
 */
function parseMessage(event: JsonObject): Pick<EventContent, 'name' | 'message' | 'template'> {
  const { message } = event;
  const entries = [getAttribute(event, 'logentry'), message].filter(isJsonObject).map(parseLogEntry);
  // A log entry may be sent as `message`; an object without these fields is shown as JSON.
  const hasMessageFields = isJsonObject(message) && (message.formatted !== undefined || message.message !== undefined);
  const plainText = hasMessageFields ? null : toTextOrJson(message, MAX_MESSAGE_LENGTH);
  const text = entries.find((entry) => entry.text !== null)?.text ?? plainText;
  const template = entries.find((entry) => entry.template !== null)?.template ?? text ?? '';
  const firstLine = text?.trimStart().split(/[\r\n]/, 1)[0];
  return { name: toText(firstLine) ?? UNLABELED_EVENT, message: text, template };
}

function parseLogEntry({ formatted, message, params }: JsonObject): { text: string | null; template: string | null } {
  const template = toTextOrJson(message, MAX_MESSAGE_LENGTH);
  const text = toTextOrJson(formatted, MAX_MESSAGE_LENGTH);
  return {
    template,
    text: text ?? (template === null ? null : toText(formatMessage(template, params), MAX_MESSAGE_LENGTH)),
  };
}

function parseCulprit(event: JsonObject): string | null {
  const transactionName = toText(event.transaction);
  if (!isBlank(transactionName)) return transactionName;
  const frame = selectCulpritFrame(getEventFrames(event));
  // Older SDKs name the culprit themselves.
  if (frame === null) return toText(event.culprit);
  const functionName = toText(frame.function) ?? '';
  const location = toText(frame.module) ?? toText(frame.filename) ?? '';
  return functionName === '' && location === '' ? null : toText(`${functionName}(${location})`);
}

function parseUser(event: JsonObject, address: string): AffectedUser | null {
  const user = getAttribute(event, 'user');
  const { id, email, username, ip_address } = isJsonObject(user) ? user : {};
  const ip = parseUserAddress(event, ip_address, address);
  const parsedUser = { id: toText(id), email: toText(email), username: toText(username), ip_address: ip };
  return getUserKey(parsedUser) === null ? null : parsedUser;
}

/** Placeholder that SDKs send for the sender's IP address. Newer SDKs send a setting instead. */
const SENDER_ADDRESS_PLACEHOLDER = '{{auto}}';

/**
 * Returns the user's IP address or null. It may be the address of the sender, or of the request that the sender handled.
 */
function parseUserAddress(event: JsonObject, ip: unknown, senderAddress: string): string | null {
  const setting = getInferIpSetting(event);
  if (ip !== SENDER_ADDRESS_PLACEHOLDER) {
    const address = toText(ip) ?? (setting === 'never' ? null : getRemoteAddress(event));
    return address ?? (setting === 'auto' ? senderAddress : null);
  }
  return setting === 'never' ? null : senderAddress;
}

/** Returns the SDK's setting `infer_ip`: the user's address is the sender's (`auto`), is not (`never`), or is for the placeholder (null). */
function getInferIpSetting({ sdk }: JsonObject): 'auto' | 'never' | null {
  const settings = isJsonObject(sdk) && isJsonObject(sdk.settings) ? sdk.settings : {};
  const { infer_ip: setting = null } = settings;
  if (setting === 'auto' || setting === 'never') return setting;
  // An unknown value must not reveal an address.
  return setting === null || setting === 'legacy' ? null : 'never';
}

/** Returns the address of the client of a reporting server, which its SDK sends with the request, or null. */
function getRemoteAddress(event: JsonObject): string | null {
  const request = getAttribute(event, 'request');
  return isJsonObject(request) && isJsonObject(request.env) ? toText(request.env.REMOTE_ADDR) : null;
}

/** Returns the key that identifies an affected user within an error, or null if there is none. */
export function getUserKey(user: AffectedUser | null): string | null {
  return user && (user.id ?? user.email ?? user.username ?? user.ip_address);
}

/** Maximum number of tags per event; further ones are dropped. */
const MAX_TAGS = 200;

function parseTags(tags: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(tags) ? tags.filter(Array.isArray) : isJsonObject(tags) ? Object.entries(tags) : [];
  const texts = pairs
    .slice(0, MAX_TAGS)
    .map(([key, value]) => [toText(key), toText(value, MAX_MESSAGE_LENGTH)] as const);
  return Object.fromEntries(texts.filter(([key, value]) => key !== null && value !== null));
}

const MAX_FINGERPRINT_PARTS = 1_000;

function parseFingerprint(fingerprint: unknown): readonly string[] {
  if (!Array.isArray(fingerprint)) return [];
  return fingerprint.slice(0, MAX_FINGERPRINT_PARTS).flatMap((part) => toTextOrJson(part, MAX_MESSAGE_LENGTH) ?? []);
}

/** Maximum time by which a sender's clock may be ahead. */
const MAX_CLOCK_SKEW_MS = 60_000;
const EARLIEST_TIMESTAMP = Date.parse('0001-01-01T00:00:00.000Z');

/** Returns the event's time in ISO 8601, or the time of receipt if it is invalid, before year 1 or too far in the future. */
function parseOccurredAt(timestamp: unknown, receivedAt: string): string {
  const time = parseUnixMilliseconds(timestamp);
  const isPlausible = time >= EARLIEST_TIMESTAMP && time <= Date.parse(receivedAt) + MAX_CLOCK_SKEW_MS;
  return isPlausible ? new Date(time).toISOString() : receivedAt;
}

/** Returns Unix milliseconds, or NaN if the value is not a timestamp. */
function parseUnixMilliseconds(timestamp: unknown): number {
  if (typeof timestamp === 'number') return Math.round(timestamp * 1000);
  if (typeof timestamp !== 'string' || timestamp.length > 100) return Number.NaN;
  const text = timestamp.trim();
  if (/^[+-]?\d+(?:\.\d*)?$/.test(text)) return Math.round(Number(text) * 1000);
  return Date.parse(parseDateTime(text) ?? '');
}

// Inserts the parameters of a message into its template, for SDKs that send both (contract/monitoring.md §12). Pure.

/** `%s`, `%d`, `%.2f`, `%1$s`, `%(name)s`, and `%%` for a percent sign. */
const PERCENT_PLACEHOLDER = /%(?:%|(?:\((?<name>[^()]*)\)|(?<position>\d+)\$)?[-+#]*[\d.]*[a-zA-Z])/g;
/** `{}`, `{0}`, `{name}`, and both with a format (`{0:.2f}`). */
const BRACE_PLACEHOLDER = /\{(?<key>\w*)(?:[:!][^{}]*)?\}/g;

/**
 * Returns the template with its parameters inserted: those of a list by position, those of an object by name. Formats such as
 * the number of digits are ignored. A placeholder without a parameter is left as it is.
 */
export function formatMessage(template: string, params: unknown): string {
  const paramList: readonly unknown[] = Array.isArray(params) ? params : [];
  // Python sends named parameters as a list with a single object.
  const paramsByName = isJsonObject(params)
    ? params
    : paramList.length === 1 && isJsonObject(paramList[0])
      ? paramList[0]
      : null;
  if (paramList.length === 0 && paramsByName === null) return template;
  const values = createValues(paramList, paramsByName);
  const percentFormatted = template.replace(PERCENT_PLACEHOLDER, (placeholder, ...groups) => {
    if (placeholder === '%%') return '%';
    const { name, position } = groups.at(-1) as { name?: string; position?: string };
    if (name !== undefined) return values.byName(name) ?? placeholder;
    return (position === undefined ? values.next() : values.at(Number(position) - 1)) ?? placeholder;
  });
  if (percentFormatted !== template) return percentFormatted;
  return template.replace(BRACE_PLACEHOLDER, (placeholder, key: string) => {
    if (/^\d+$/.test(key)) return values.at(Number(key)) ?? values.byName(key) ?? placeholder;
    return values.byName(key) ?? values.next() ?? placeholder;
  });
}

/** Looks up the texts of parameters. `next` returns those of a list one after the other. */
function createValues(paramList: readonly unknown[], paramsByName: JsonObject | null) {
  let nextIndex = 0;
  /** Cache of the serialized parameters: a placeholder may occur hundreds of times with an object of a mebibyte. */
  const texts = new Map<unknown, string>();
  const toCachedText = (value: unknown): string => {
    const text = texts.get(value) ?? toParameterText(value);
    texts.set(value, text);
    return text;
  };
  const at = (index: number) => (index >= 0 && index < paramList.length ? toCachedText(paramList[index]) : undefined);
  return {
    at,
    byName: (name: string) =>
      paramsByName !== null && Object.hasOwn(paramsByName, name) ? toCachedText(paramsByName[name]) : undefined,
    next: () => at(nextIndex++),
  };
}

const toParameterText = (value: unknown): string =>
  value === null ? 'null' : (toTextOrJson(value, MAX_MESSAGE_LENGTH) ?? '');
