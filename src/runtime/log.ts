import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '#config.ts';
import { redactFields, redactText } from '#security/redaction.ts';
import { type Clock, systemClock, timestamp } from './clock.ts';

/** Structured log: one JSON object a line. Fields and messages are redacted on their way; an error goes under `err`. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /**
   * The line of one request, by far the most frequent: its fields are few and known, and its URL has been redacted by
   * the caller, so that they are not looked at again.
   */
  readonly request: (line: RequestLine) => void;
  /** A log whose lines all carry these fields too. */
  child(fields: object): Log;
  /** Writes what waits, for the last time. */
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

/** Fields first, as pino has it; a message alone will do. */
export interface Write {
  (fields: object, message: string): void;
  (message: string): void;
}

interface LogOptions {
  readonly clock?: Clock;
  /** Where lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/** Lines wait together for so long, in milliseconds: a write a line costs as much as the answer that it tells of. */
const GATHER_MS = 100;

/**
 * The log of this process. Lines are gathered for a moment and written in the calling thread; an error, and the end of
 * the process, bring out what waits at once.
 */
export function createLog(config: Pick<Config, 'logLevel'>, options: LogOptions = {}): Log {
  const clock = options.clock ?? systemClock;
  const settings = {
    level: config.logLevel,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timestamp(clock)}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const nothing = () => {};
  return options.destination ? wrap(pino(settings, options.destination), nothing, nothing) : gathering(settings);
}

function gathering(settings: LoggerOptions): Log {
  const output = new GatheredLines();
  const flush = () => output.flush();
  const gathered = setInterval(flush, GATHER_MS).unref();
  process.on('exit', flush);
  const close = () => {
    clearInterval(gathered);
    process.off('exit', flush);
    flush();
  };
  return wrap(pino(settings, output), flush, close);
}

/** In characters: so many are written without waiting for more. */
const ENOUGH = 8192;
/** In characters: while so many wait for a reader who takes none, further lines are lost. */
const MOST = 1024 * 1024;

/**
 * Lines on their way to standard output. Nobody waits for whoever reads them: what he does not take now waits, and when there is
 * nobody any more, or no room, lines are lost and the server goes on. (Pino's own output tries again until he does, whatever the
 * reason, and lets the process do nothing else.)
 */
class GatheredLines implements DestinationStream {
  #waiting = '';
  /** Of a line that was taken in part. */
  #rest: Buffer = Buffer.alloc(0);

  write(line: string): void {
    if (this.#waiting.length + this.#rest.length >= MOST) return;
    this.#waiting += line;
    if (this.#waiting.length >= ENOUGH) this.flush();
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

function wrap(logger: Logger, flush: () => void, close: () => void): Log {
  const error = writer(logger, 'error');
  return {
    debug: writer(logger, 'debug'),
    info: writer(logger, 'info'),
    warn: writer(logger, 'warn'),
    error: (first: object | string, second?: string) => {
      error(first as object, second as string);
      flush();
    },
    request: (line) => logger.info(line, 'request'),
    child: (fields) => wrap(logger.child(redactFields(fields)), flush, close),
    close,
  };
}

function writer(logger: Logger, level: 'debug' | 'info' | 'warn' | 'error'): Write {
  return (first: object | string, second?: string) => {
    if (!logger.isLevelEnabled(level)) return;
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    logger[level](redactFields(fields), redactText(message));
  };
}
