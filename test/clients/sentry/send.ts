// Reports with the Sentry SDK for Node what each of these senders reports; DSN says to whom.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { CLIENT_CACHE = '', DSN = '' } = process.env;

type Options = Readonly<Record<string, unknown>>;

/** Of the SDK, whichever of its majors it is, so much as is used here. */
interface Sentry {
  init(options: Options): void;
  setUser(user: Options): void;
  setTag(name: string, value: string): void;
  captureException(error: unknown): string;
  captureMessage(text: string, level: string): string;
  withScope(work: (scope: Scope) => void): void;
  startSpan(options: Options, work: () => void): void;
  startSession(): unknown;
  endSession(): void;
  captureSession(end?: boolean): void;
  flush(milliseconds: number): Promise<boolean>;
}
interface Scope {
  setFingerprint(parts: readonly string[]): void;
  addAttachment(attachment: Options): void;
}

const sentry: Sentry = createRequire(join(CLIENT_CACHE, 'index.js'))('@sentry/node');

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}
class OneWay extends Error {
  override readonly name = 'OneWay';
}
class OtherWay extends Error {
  override readonly name = 'OtherWay';
}

// Of these the SDK sends fifty.
Error.stackTraceLimit = 100;

function deeper(left: number): never {
  if (left === 0) throw new TooLarge('large');
  return deeper(left - 1);
}

function divide(number: bigint): bigint {
  return number / 0n;
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

sentry.init({ dsn: DSN, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1 });
sentry.setUser({ id: '42' });
sentry.setTag('shop', 'Größe ☃');
for (let time = 0; time < 2; time++) {
  // Of two equal ones in a row the SDK itself would drop the second.
  sentry.captureException(caught(() => divide(1n)));
  if (time === 0) sentry.captureMessage('Größe ☃ 😀\nand more', 'warning');
}
sentry.captureException(caught(() => deeper(80)));
sentry.withScope((scope) => {
  scope.setFingerprint(['joined']);
  sentry.captureException(new OneWay('one'));
});
sentry.withScope((scope) => {
  scope.setFingerprint(['joined']);
  const data = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
  scope.addAttachment({ filename: 'core.bin', data });
  sentry.captureException(new OtherWay('other'));
});
sentry.startSpan({ name: 'checkout', op: 'task' }, () => {});
sentry.startSession();
sentry.captureSession();
sentry.endSession();
await sentry.flush(10_000);
