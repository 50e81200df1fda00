import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '#config.ts';
import { redactFields, redactText } from '#security/redaction.ts';
import { type Clock, systemClock, timestamp } from './clock.ts';

/** A structured log: one JSON object per line. Fields and messages are redacted; pass an error as `err`. */
export interface Log {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  /**
   * Writes the line of one request, by far the most frequent. Its fields are not redacted again: they are few and known, and
   * the caller has redacted the URL.
   */
  readonly request: (line: RequestLine) => void;
  /** Creates a log that adds these fields to each line. */
  child(fields: object): Log;
  /** Writes the buffered lines and stops. */
  close(): void;
}

interface RequestLine {
  readonly request: string;
  readonly method: string;
  readonly url: string;
  readonly endpoint: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string;
}

/** Takes fields and a message, as pino does, or a message alone. */
export interface WriteLine {
  (fields: object, message: string): void;
  (message: string): void;
}

interface LogOptions {
  readonly clock?: Clock;
  /** Receives the lines; default: standard output. */
  readonly destination?: DestinationStream;
}

/** Milliseconds for which lines are buffered: a write per line would cost as much as the request that it logs. */
const FLUSH_INTERVAL_MS = 100;

/**
 * Creates the log of this process. Lines are buffered briefly and written in the calling thread; an error or the end of the
 * process flushes the buffer at once.
 */
export function createLog(config: Pick<Config, 'logLevel'>, options: LogOptions = {}): Log {
  const clock = options.clock ?? systemClock;
  const settings = {
    level: config.logLevel,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timestamp(clock)}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const noop = () => {};
  return options.destination ? toLog(pino(settings, options.destination), noop, noop) : createBufferedLog(settings);
}

function createBufferedLog(settings: LoggerOptions): Log {
  const output = new BufferedOutput();
  const flush = () => output.flush();
  const flushTimer = setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.on('exit', flush);
  const close = () => {
    clearInterval(flushTimer);
    process.off('exit', flush);
    flush();
  };
  return toLog(pino(settings, output), flush, close);
}

/** Characters of buffered lines that are written without further delay. */
const FLUSH_THRESHOLD = 8192;
/** Maximum number of buffered characters: while the reader takes none, further lines are dropped. */
const MAX_BUFFERED = 1024 * 1024;

/**
 * Buffers lines for standard output. A slow reader never blocks the server: unread lines stay in the buffer, and without a
 * reader or free space lines are dropped. (Pino's own output retries in a loop and blocks the process.)
 */
class BufferedOutput implements DestinationStream {
  #waiting = '';
  /** Bytes that the last write did not take. */
  #rest: Buffer = Buffer.alloc(0);

  write(line: string): void {
    if (this.#waiting.length + this.#rest.length >= MAX_BUFFERED) return;
    this.#waiting += line;
    if (this.#waiting.length >= FLUSH_THRESHOLD) this.flush();
  }

  flush(): void {
    if (this.#waiting === '' && this.#rest.length === 0) return;
    let bytes = Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
      this.#rest = bytes;
    } catch (error) {
      this.#rest = (error as NodeJS.ErrnoException).code === 'EAGAIN' ? bytes : Buffer.alloc(0);
    }
  }
}

function toLog(logger: Logger, flush: () => void, close: () => void): Log {
  const error = writer(logger, 'error');
  return {
    debug: writer(logger, 'debug'),
    info: writer(logger, 'info'),
    warn: writer(logger, 'warn'),
    error: (first: object | string, message?: string) => {
      error(first as object, message as string);
      flush();
    },
    request: (line) => logger.info(line, 'request'),
    child: (fields) => toLog(logger.child(redactFields(fields)), flush, close),
    close,
  };
}

function writer(logger: Logger, level: 'debug' | 'info' | 'warn' | 'error'): WriteLine {
  return (first: object | string, second?: string) => {
    if (!logger.isLevelEnabled(level)) return;
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    logger[level](redactFields(fields), redactText(message));
  };
}
