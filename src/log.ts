import { type DestinationStream, type Logger, pino } from 'pino';
import { type Clock, systemClock, timestamp } from './clock.ts';
import type { Config } from './config.ts';
import { redactFields, redactText } from './secrets/redaction.ts';

/** Structured log: one JSON object a line. Fields and messages are redacted on their way; an error goes under `err`. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A log whose lines all carry these fields too. */
  child(fields: object): Log;
}

/** Fields first, as pino has it; a message alone will do. */
export interface Write {
  (fields: object, message: string): void;
  (message: string): void;
}

export interface LogOptions {
  readonly clock?: Clock;
  /** Where lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * The log of this process. Lines are written in the calling thread: what was logged is out before anything else
 * happens, a crash included.
 */
export function createLog(config: Pick<Config, 'logLevel'>, options: LogOptions = {}): Log {
  const clock = options.clock ?? systemClock;
  const settings = {
    level: config.logLevel,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timestamp(clock)}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return wrap(options.destination ? pino(settings, options.destination) : pino(settings));
}

function wrap(logger: Logger): Log {
  return {
    debug: writer(logger, 'debug'),
    info: writer(logger, 'info'),
    warn: writer(logger, 'warn'),
    error: writer(logger, 'error'),
    child: (fields) => wrap(logger.child(redactFields(fields))),
  };
}

function writer(logger: Logger, level: 'debug' | 'info' | 'warn' | 'error'): Write {
  return (first: object | string, second?: string) => {
    if (!logger.isLevelEnabled(level)) return;
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    logger[level](redactFields(fields), redactText(message));
  };
}
