import { createChunkBuffer } from '#http/request/decoded-body.ts';

// Splits a large webhook payload into its alerts while it arrives (contract/monitoring.md §1 step 2). Pure.

/** Maximum size of one alert in a webhook payload, in bytes. */
export const MAX_ALERT_BYTES = 1024 * 1024;
/** Maximum size of a webhook payload without its alerts, in bytes. */
const MAX_REST_BYTES = 1024 * 1024;
const MAX_ALERTS = 100_000;

/** Takes the elements of the member `alerts` out of a JSON object. */
export interface AlertSplitter {
  /** Scans the next chunk. */
  push(bytes: Buffer): void;
  /** The JSON of each alert. A text between two commas may be blank or invalid. */
  readonly alerts: readonly Buffer[];
  /** Number of alerts that were dropped because they are too large. */
  readonly droppedCount: number;
  /** Whether the payload has too many alerts, or is too large without them. The other values are then incomplete. */
  readonly isTooLarge: boolean;
  /** Returns the JSON of the object, in which `alerts` is an empty array. */
  takeRest(): Buffer;
}

// Bytes that structure JSON, in ASCII.
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const SPACE = 0x20;

const ALERTS_NAME = '"alerts"';
/** Maximum length of the name in JSON, with every character escaped. */
const MAX_NAME_BYTES = 2 + 6 * 'alerts'.length;

/** Creates a splitter for one payload: a byte-wise scan that tracks depth, strings and the name `alerts`. */
export function createAlertSplitter(): AlertSplitter {
  const rest = createChunkBuffer();
  const alert = createChunkBuffer();
  let alerts: Buffer[] = [];
  let droppedCount = 0;
  let isTooLarge = false;

  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** Bytes of the last string of the object itself, which may be a name. */
  let nameBytes: number[] = [];
  /** Whether the value of `alerts` is next. */
  let isAlertsNext = false;
  let isInAlerts = false;
  let isAlertTooLarge = false;

  /** Adds bytes to the current alert, or to the rest. */
  function addBytes(bytes: Buffer): void {
    if (!isInAlerts) {
      rest.add(bytes);
      isTooLarge ||= rest.size > MAX_REST_BYTES;
    } else if (!isAlertTooLarge) {
      alert.add(bytes);
      if (alert.size <= MAX_ALERT_BYTES) return;
      alert.take();
      isAlertTooLarge = true;
      droppedCount++;
    }
  }

  function endAlert(isLast: boolean): void {
    const bytes = alert.take();
    // Blanks in an empty array are not an alert. Blanks after a comma are invalid JSON, which the parser of the alert
    // reports.
    if (!isAlertTooLarge && !(isLast && alerts.length === 0 && isBlank(bytes))) alerts.push(bytes);
    isAlertTooLarge = false;
    isTooLarge ||= alerts.length > MAX_ALERTS;
  }

  /** Updates the state after a byte outside of strings. Returns whether the byte begins or ends an alert. */
  function scan(byte: number): boolean {
    if (isInAlerts && depth === 2 && (byte === COMMA || byte === CLOSE_ARRAY)) return true;
    // A colon at this depth follows a name. After `"alerts":`, only white space may precede the array.
    if (depth === 1 && byte === COLON) isAlertsNext = isAlertsName(nameBytes);
    else if (byte > SPACE && !(byte === OPEN_ARRAY && depth === 1)) isAlertsNext = false;
    if (byte === QUOTE) {
      isInString = true;
      nameBytes = [byte];
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    return byte === OPEN_ARRAY && depth === 2 && isAlertsNext;
  }

  function scanString(byte: number): void {
    if (depth === 1 && nameBytes.length <= MAX_NAME_BYTES) nameBytes.push(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isInString = false;
  }

  return {
    push(bytes) {
      let start = 0;
      for (let index = 0; index < bytes.length && !isTooLarge; index++) {
        const byte = bytes[index] as number;
        if (isInString) scanString(byte);
        else if (scan(byte)) {
          const isStart = !isInAlerts;
          // The brackets of the array stay in the rest of the payload; the commas between alerts are dropped.
          addBytes(bytes.subarray(start, isStart ? index + 1 : index));
          start = index + 1;
          if (isStart) {
            // If a member is repeated, the last one counts, as in JSON.parse.
            alerts = [];
            isInAlerts = true;
          } else endAlert(byte === CLOSE_ARRAY);
          if (!isStart && byte === CLOSE_ARRAY) {
            isInAlerts = false;
            depth--;
            start = index;
          }
          isAlertsNext = false;
        }
      }
      if (!isTooLarge) addBytes(bytes.subarray(start));
    },
    get alerts() {
      return alerts;
    },
    get droppedCount() {
      return droppedCount;
    },
    get isTooLarge() {
      return isTooLarge;
    },
    takeRest: () => rest.take(),
  };
}

/** Returns whether the bytes of a JSON string are the name `alerts`, possibly with escaped characters. */
function isAlertsName(bytes: readonly number[]): boolean {
  const json = String.fromCharCode(...bytes);
  if (json === ALERTS_NAME) return true;
  if (!json.includes('\\u')) return false;
  try {
    return JSON.parse(json) === 'alerts';
  } catch {
    return false;
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= SPACE);
