// Reports with raven, the older SDK for Node, what each of these senders reports; DSN names the server.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { CLIENT_CACHE = '', DSN = '' } = process.env;

type Options = Readonly<Record<string, unknown>>;
type Sent = (error: Error | null) => void;

/** The part of the SDK that is used here. */
interface Raven {
  config(dsn: string, options: Options): Raven;
  setContext(context: Options): void;
  captureException(error: unknown, options: Options, sent: Sent): void;
  captureMessage(text: string, options: Options, sent: Sent): void;
}

const raven: Raven = createRequire(join(CLIENT_CACHE, 'index.js'))('raven');

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}
class OneWay extends Error {
  override readonly name = 'OneWay';
}
class OtherWay extends Error {
  override readonly name = 'OtherWay';
}

Error.stackTraceLimit = 100;

function deeper(remaining: number): never {
  if (remaining === 0) throw new TooLarge('large');
  return deeper(remaining - 1);
}

function divide(number: bigint): bigint {
  return number / 0n;
}

function capture(work: () => unknown, options: Options = {}): Promise<void> {
  return new Promise((resolve) => {
    try {
      work();
    } catch (error) {
      raven.captureException(error, options, () => resolve());
    }
  });
}

function fail(error: Error): never {
  throw error;
}

raven.config(DSN, { release: 'shop@1.2.3', environment: 'production' });
raven.setContext({ user: { id: '42' }, tags: { shop: 'Größe ☃' } });
for (let time = 0; time < 2; time++) await capture(() => divide(1n));
await new Promise<void>((resolve) => {
  raven.captureMessage('Größe ☃ 😀\nand more', { level: 'warning' }, () => resolve());
});
await capture(() => deeper(80));
await capture(() => fail(new OneWay('one')), { fingerprint: ['joined'] });
await capture(() => fail(new OtherWay('other')), { fingerprint: ['joined'] });
