// Reports with the Sentry SDK for browsers, from a page in Chromium, what each of these senders reports; DSN names the server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const { CLIENT_CACHE = '', DSN = '' } = process.env;

const SCRIPT = `
import * as sentry from '@sentry/browser';

class TooLarge extends Error { name = 'TooLarge'; }
class OneWay extends Error { name = 'OneWay'; }
class OtherWay extends Error { name = 'OtherWay'; }

Error.stackTraceLimit = 100;

function deeper(remaining) {
  if (remaining === 0) throw new TooLarge('large');
  return deeper(remaining - 1);
}

function divide(number) {
  return number / 0n;
}

function caught(work) {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

sentry.init({ dsn: ${JSON.stringify(DSN)}, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1 });
sentry.setUser({ id: '42' });
sentry.setTag('shop', 'Größe ☃');
for (let time = 0; time < 2; time++) {
  // The SDK drops an event that equals the one before it.
  sentry.captureException(caught(() => divide(1n)));
  if (time === 0) sentry.captureMessage('Größe ☃ 😀\\nand more', 'warning');
}
sentry.captureException(caught(() => deeper(80)));
sentry.withScope((scope) => {
  scope.setFingerprint(['joined']);
  sentry.captureException(new OneWay('one'));
});
sentry.withScope((scope) => {
  scope.setFingerprint(['joined']);
  scope.addAttachment({ filename: 'core.bin', data: new Uint8Array(1024) });
  sentry.captureException(new OtherWay('other'));
});
await sentry.flush(10_000);
document.title = 'sent';
`;

const { outputFiles } = await build({
  stdin: { contents: SCRIPT, resolveDir: CLIENT_CACHE },
  bundle: true,
  write: false,
  format: 'esm',
});
const page = '<!doctype html><meta charset="utf-8"><title>sending</title><script type="module" src="/app.js"></script>';
const server = createServer(({ url }, response) => {
  const isScript = url === '/app.js';
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? outputFiles[0]!.text : page);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
// The address of the page is part of each frame, so it has no port that changes.
const args = ['--no-sandbox', `--host-resolver-rules=MAP shop.test:80 127.0.0.1:${port}`];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
const tab = await browser.newPage();
await tab.goto('http://shop.test/');
await tab.waitForFunction("document.title === 'sent'", undefined, { timeout: 20_000 });
await browser.close();
server.close();
