import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '#config.ts';
import { redactFields, redactText } from '#security/redaction.ts';
import { type Clock, systemClock, timestamp } from './clock.ts';
import { hasErrorCode } from './failure.ts';

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
interface WriteLine {
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
 * process flushes the buffer immediately.
 */
export function createLog(config: Pick<Config, 'logLevel'>, options: LogOptions = {}): Log {
  const clock = options.clock ?? systemClock;
  const loggerOptions = {
    level: config.logLevel,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timestamp(clock)}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const noop = () => {};
  return options.destination
    ? toLog(pino(loggerOptions, options.destination), noop, noop)
    : createBufferedLog(loggerOptions);
}

function createBufferedLog(loggerOptions: LoggerOptions): Log {
  const output = new BufferedOutput();
  const flush = () => output.flush();
  const flushTimer = setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.on('exit', flush);
  const close = () => {
    clearInterval(flushTimer);
    process.off('exit', flush);
    flush();
  };
  return toLog(pino(loggerOptions, output), flush, close);
}

/** Characters of buffered lines that are written without further delay. */
const FLUSH_THRESHOLD = 8192;
/** Maximum number of buffered characters; further lines are dropped. */
const MAX_BUFFERED = 1024 * 1024;

/**
 * Buffers lines for standard output, so that a slow reader never blocks the server: unread lines stay in the buffer. Lines are
 * dropped if the buffer is full or no reader exists. (Pino's own output retries in a loop and blocks the process.)
 */
class BufferedOutput implements DestinationStream {
  #bufferedText = '';
  /** Bytes that the last write did not take. */
  #unwrittenBytes: Buffer = Buffer.alloc(0);

  write(line: string): void {
    if (this.#bufferedText.length + this.#unwrittenBytes.length >= MAX_BUFFERED) return;
    this.#bufferedText += line;
    if (this.#bufferedText.length >= FLUSH_THRESHOLD) this.flush();
  }

  flush(): void {
    if (this.#bufferedText === '' && this.#unwrittenBytes.length === 0) return;
    let bytes = Buffer.concat([this.#unwrittenBytes, Buffer.from(this.#bufferedText)]);
    this.#bufferedText = '';
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
      this.#unwrittenBytes = bytes;
    } catch (error) {
      // EAGAIN: the reader is slow. Other errors: no reader exists, so the lines are dropped.
      this.#unwrittenBytes = hasErrorCode(error, 'EAGAIN') ? bytes : Buffer.alloc(0);
    }
  }
}

function toLog(logger: Logger, flush: () => void, close: () => void): Log {
  const writeError = createWriter(logger, 'error');
  return {
    debug: createWriter(logger, 'debug'),
    info: createWriter(logger, 'info'),
    warn: createWriter(logger, 'warn'),
    error: (fieldsOrMessage: object | string, message?: string) => {
      writeError(fieldsOrMessage as object, message as string);
      flush();
    },
    request: (line) => logger.info(line, 'request'),
    child: (fields) => toLog(logger.child(redactFields(fields)), flush, close),
    close,
  };
}

function createWriter(logger: Logger, level: 'debug' | 'info' | 'warn' | 'error'): WriteLine {
  return (fieldsOrMessage: object | string, messageAfterFields?: string) => {
    if (!logger.isLevelEnabled(level)) return;
    const [fields, message] =
      typeof fieldsOrMessage === 'string' ? [{}, fieldsOrMessage] : [fieldsOrMessage, messageAfterFields ?? ''];
    logger[level](redactFields(fields), redactText(message));
  };
}
