import { deflateSync, gzipSync } from 'node:zlib';

// What SDKs send, one row per client: how the report is sent, and its events with the errors that they become. The form of the
// payloads was recorded from the named releases; fields that Hearth does not read are left out.

/** The error that an event becomes, as members see it. */
interface ExpectedError {
  readonly type?: 'default';
  readonly title: string;
  readonly culprit: string | null;
  readonly level: string;
  /** Key of the affected user; absent: `42`. */
  readonly user?: string | null;
}

interface ClientReports {
  readonly client: string;
  readonly endpoint: 'envelope' | 'store';
  /** Request of an event with this key: the headers, the query and the body. */
  readonly buildRequest: (event: object, key: string) => ClientRequest;
  readonly events: readonly (readonly [event: object, error: ExpectedError])[];
}

export interface ClientRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body: Buffer | string;
}

const USER = { id: '42' };
const COMMON = { release: 'shop@1.2.3', environment: 'production', user: USER };

const toStack = (...frames: readonly object[]) => ({ frames });
const toFrame = (name: string, location: object, in_app?: boolean) => ({ function: name, ...location, in_app });

/** Builds an envelope with one event. With `length`, the item header has the length of the event in bytes. */
function buildEnvelope(event: object, { length = false, header = {} }: { length?: boolean; header?: object } = {}) {
  const json = JSON.stringify(event);
  const itemHeader = { type: 'event', ...(length ? { length: Buffer.byteLength(json) } : {}) };
  return [header, itemHeader].map((line) => `${JSON.stringify(line)}\n`).join('') + json;
}

const createAuthHeader = (key: string) => ({
  'X-Sentry-Auth': `Sentry sentry_version=7, sentry_client=a/1, sentry_key=${key}`,
});
const toBase64Zlib = (event: object) => deflateSync(JSON.stringify(event)).toString('base64');

const javaScriptEvent = { ...COMMON, platform: 'node', level: 'error' };
const cartFrame = toFrame('checkout', { module: 'cart', filename: '/srv/shop/cart.js' }, true);
const loaderFrame = toFrame(
  'Module._compile',
  { module: 'loader', filename: 'node:internal/modules/cjs/loader' },
  false,
);
const javaScriptStack = { stacktrace: toStack(loaderFrame, cartFrame) };
const createChainedMechanism = (exception_id: number, source: string) => ({
  type: 'chained',
  source,
  exception_id,
  parent_id: 0,
});
const genericMechanism = { type: 'generic', handled: true };
const syntheticMechanism = { ...genericMechanism, synthetic: true };
const createMessageException = (text: string) => ({
  values: [{ value: text, ...javaScriptStack, mechanism: syntheticMechanism }],
});

const sendWithQuery =
  (headers: Readonly<Record<string, string>>) =>
  (event: object, key: string): ClientRequest => ({
    headers,
    query: `?sentry_version=7&sentry_key=${key}&sentry_client=a%2F1`,
    body: buildEnvelope(event),
  });

const node11: ClientReports = {
  client: '@sentry/node 11.12',
  endpoint: 'envelope',
  buildRequest: sendWithQuery({}),
  events: [
    [
      { ...javaScriptEvent, level: 'warning', message: 'disk full', exception: createMessageException('disk full') },
      { type: 'default', title: 'disk full', culprit: 'checkout(cart)', level: 'warning' },
    ],
    [
      {
        ...javaScriptEvent,
        level: 'info',
        logentry: { message: 'user %s left', params: ['bob'] },
        exception: createMessageException('user bob left'),
      },
      { type: 'default', title: 'user bob left', culprit: 'checkout(cart)', level: 'info' },
    ],
    [
      {
        ...javaScriptEvent,
        exception: {
          values: [
            { type: 'TypeError', value: 'inner', ...javaScriptStack, mechanism: createChainedMechanism(1, 'cause') },
            { type: 'Error', value: 'outer', ...javaScriptStack, mechanism: { ...genericMechanism, exception_id: 0 } },
          ],
        },
      },
      { title: 'Error: outer', culprit: 'checkout(cart)', level: 'error' },
    ],
    [
      {
        ...javaScriptEvent,
        exception: {
          values: [
            { type: 'RangeError', value: 'two', ...javaScriptStack, mechanism: createChainedMechanism(2, 'errors[1]') },
            { type: 'TypeError', value: 'one', ...javaScriptStack, mechanism: createChainedMechanism(1, 'errors[0]') },
            {
              type: 'AggregateError',
              value: 'several',
              ...javaScriptStack,
              mechanism: { ...genericMechanism, is_exception_group: true, exception_id: 0 },
            },
          ],
        },
      },
      { title: 'AggregateError: several', culprit: 'checkout(cart)', level: 'error' },
    ],
    [
      // An event of a thrown text has no message.
      {
        ...javaScriptEvent,
        transaction: 'GET /text',
        exception: { values: [{ type: 'Error', value: 'a text', mechanism: syntheticMechanism }] },
      },
      { title: 'Error: a text', culprit: 'GET /text', level: 'error' },
    ],
    [
      { ...javaScriptEvent, level: 'log', message: 'written' },
      { type: 'default', title: 'written', culprit: null, level: 'info' },
    ],
  ],
};

const browserEvent = {
  release: 'shop@1.2.3',
  environment: 'production',
  platform: 'javascript',
  request: { url: 'https://shop.example/cart', headers: { 'User-Agent': 'a' } },
  sdk: { name: 'sentry.javascript.browser', version: '11.12.0', settings: { infer_ip: 'auto' } },
};
const pageFrame = toFrame('checkout', { filename: 'https://shop.example/cart.js' }, true);

const browser11: ClientReports = {
  client: '@sentry/browser 11.12',
  endpoint: 'envelope',
  buildRequest: sendWithQuery({ 'Content-Type': 'text/plain;charset=UTF-8' }),
  events: [
    [
      {
        ...browserEvent,
        level: 'error',
        exception: {
          values: [
            { type: 'RangeError', value: 'too far', stacktrace: toStack(pageFrame), mechanism: genericMechanism },
          ],
        },
      },
      {
        title: 'RangeError: too far',
        culprit: 'checkout(https://shop.example/cart.js)',
        level: 'error',
        user: 'sender',
      },
    ],
    [
      {
        ...browserEvent,
        level: 'error',
        message: 'a text',
        exception: {
          values: [{ type: 'Error', value: 'a text', stacktrace: toStack(pageFrame), mechanism: syntheticMechanism }],
        },
      },
      {
        type: 'default',
        title: 'a text',
        culprit: 'checkout(https://shop.example/cart.js)',
        level: 'error',
        user: 'sender',
      },
    ],
  ],
};

const pythonEvent = { ...COMMON, platform: 'python', level: 'error', user: { id: 42 }, logger: 'root' };
const pollStack = {
  stacktrace: toStack(toFrame('<module>', { module: '__main__' }, true), toFrame('vote', { module: 'polls' }, true)),
};

const python2: ClientReports = {
  client: 'sentry-sdk 2.75 (Python)',
  endpoint: 'envelope',
  buildRequest: (event, key) => ({
    headers: { ...createAuthHeader(key), 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-sentry-envelope' },
    body: gzipSync(buildEnvelope(event, { length: true })),
  }),
  events: [
    [
      {
        ...pythonEvent,
        exception: {
          values: [
            { type: 'ZeroDivisionError', value: 'division by zero', ...pollStack, mechanism: genericMechanism },
            { type: 'KeyError', value: "'missing'", ...pollStack, mechanism: genericMechanism },
          ],
        },
      },
      { title: "KeyError: 'missing'", culprit: 'vote(polls)', level: 'error' },
    ],
    [
      {
        ...pythonEvent,
        exception: {
          values: [
            {
              type: 'TypeError',
              value: 'two',
              mechanism: { ...createChainedMechanism(3, 'exceptions[0]'), parent_id: 2 },
            },
            {
              type: 'ExceptionGroup',
              value: 'nested',
              mechanism: { ...createChainedMechanism(2, ''), is_exception_group: true },
            },
            { type: 'ValueError', value: 'one', mechanism: createChainedMechanism(1, 'exceptions[0]') },
            {
              type: 'ExceptionGroup',
              value: 'several',
              ...pollStack,
              mechanism: { ...genericMechanism, exception_id: 0, is_exception_group: true },
            },
          ],
        },
      },
      { title: 'ExceptionGroup: several', culprit: 'vote(polls)', level: 'error' },
    ],
    [
      {
        ...pythonEvent,
        logentry: { message: 'while working on %s', formatted: 'while working on x', params: ['x'] },
        exception: { values: [{ type: 'OSError', value: 'closed', ...pollStack, mechanism: genericMechanism }] },
      },
      { title: 'OSError: closed', culprit: 'vote(polls)', level: 'error' },
    ],
    [
      {
        ...pythonEvent,
        level: 'fatal',
        logentry: { message: 'user %(name)s left', formatted: 'user bob left', params: { name: 'bob' } },
      },
      { type: 'default', title: 'user bob left', culprit: null, level: 'fatal' },
    ],
  ],
};

const goEvent = { ...COMMON, platform: 'go', level: 'error' };
const mainStack = {
  stacktrace: toStack(toFrame('main', { module: 'main' }, true), toFrame('pay', { module: 'main' }, true)),
};

const go: ClientReports = {
  client: 'sentry-go 0.50',
  endpoint: 'envelope',
  buildRequest: (event, key) => ({
    headers: { ...createAuthHeader(key), 'Content-Type': 'application/x-sentry-envelope' },
    body: buildEnvelope(event, {
      length: true,
      header: { sent_at: '2026-02-13T10:28:16.438844299Z', sdk: { name: 'sentry.go' } },
    }),
  }),
  events: [
    [
      {
        ...goEvent,
        exception: [
          { type: 'main.Bad', value: 'bad thing', mechanism: createChainedMechanism(1, 'unwrap') },
          {
            type: '*fmt.wrapError',
            value: 'outer: bad thing',
            ...mainStack,
            mechanism: { ...genericMechanism, exception_id: 0 },
          },
        ],
      },
      { title: '*fmt.wrapError: outer: bad thing', culprit: 'pay(main)', level: 'error' },
    ],
  ],
};

const rustEvent = { ...COMMON, platform: 'native', level: 'fatal', user: { ...USER, ip_address: '{{auto}}' } };
const createRustPanic = (value: string, name: string) => ({
  values: [
    {
      type: 'panic',
      value,
      mechanism: { type: 'panic', handled: false },
      stacktrace: toStack(
        toFrame(name, { package: 'shop', filename: 'main.rs' }, true),
        toFrame(
          '<usize as core::slice::index::SliceIndex<[T]>>::index',
          { package: 'core', filename: 'index.rs' },
          true,
        ),
        toFrame('core::panicking::panic_fmt', { package: 'core', filename: 'panicking.rs' }, false),
        toFrame('__rustc::rust_begin_unwind', { package: '__rustc', filename: 'panicking.rs' }, true),
        toFrame('sentry_panic::panic_handler', { package: 'sentry_panic', filename: 'lib.rs' }, true),
        toFrame('sentry_backtrace::current_stacktrace', { package: 'sentry_backtrace', filename: 'lib.rs' }, false),
      ),
    },
  ],
});

const rust: ClientReports = {
  client: 'sentry 0.49 (Rust)',
  endpoint: 'envelope',
  buildRequest: (event, key) => ({ headers: createAuthHeader(key), body: buildEnvelope(event, { length: true }) }),
  events: [
    [
      { ...rustEvent, exception: createRustPanic('index out of bounds', 'shop::load_cart') },
      { title: 'panic: index out of bounds', culprit: 'shop::load_cart(main.rs)', level: 'fatal' },
    ],
    [
      { ...rustEvent, exception: createRustPanic('declined', 'shop::pay') },
      { title: 'panic: declined', culprit: 'shop::pay(main.rs)', level: 'fatal' },
    ],
    [
      {
        ...rustEvent,
        level: undefined,
        exception: {
          values: [
            { type: 'Inner', value: 'inner failed' },
            { type: 'Outer', value: 'outer failed' },
          ],
        },
      },
      { title: 'Outer: outer failed', culprit: null, level: 'error' },
    ],
  ],
};

const cli: ClientReports = {
  ...rust,
  client: 'sentry-cli 3.8',
  events: [
    [
      { ...rustEvent, level: 'warning', logentry: { message: 'user %s left', params: ['bob'] } },
      { type: 'default', title: 'user bob left', culprit: null, level: 'warning' },
    ],
  ],
};

const javaEvent = { ...COMMON, platform: 'java', fingerprint: [], user: { ...USER, ip_address: '{{auto}}' } };
const shopStack = {
  stacktrace: toStack(toFrame('main', { module: 'shop.Main' }), toFrame('pay', { module: 'shop.Main' })),
};

const java8: ClientReports = {
  client: 'io.sentry 8.63 (Java)',
  endpoint: 'envelope',
  buildRequest: (event, key) => ({
    headers: {
      'X-Sentry-Auth': `Sentry sentry_version=7,sentry_client=sentry.java/8.63.0,sentry_key=${key}`,
      'Content-Encoding': 'gzip',
    },
    body: gzipSync(buildEnvelope(event, { length: true })),
  }),
  events: [
    [
      {
        ...javaEvent,
        exception: {
          values: [
            {
              type: 'IllegalArgumentException',
              value: 'suppressed one',
              ...shopStack,
              mechanism: { type: 'suppressed', exception_id: 1, parent_id: 0 },
            },
            { type: 'Exception', value: 'thrown', ...shopStack, mechanism: { type: 'chained', exception_id: 0 } },
          ],
        },
      },
      { title: 'Exception: thrown', culprit: 'pay(shop.Main)', level: 'error' },
    ],
    [
      { ...javaEvent, level: 'warning', message: { message: 'user {} left', params: ['bob'] } },
      { type: 'default', title: 'user bob left', culprit: null, level: 'warning' },
    ],
  ],
};

const oldUser = { 'sentry.interfaces.User': { id: '42', username: null, email: null, ip_address: null } };
const olderEvent = { release: 'shop@1.2.3', environment: 'production', ...oldUser };

const java1: ClientReports = {
  client: 'io.sentry 1.7 (Java)',
  endpoint: 'store',
  buildRequest: (event, key) => ({
    headers: { ...createAuthHeader(key), 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
    body: gzipSync(JSON.stringify(event)),
  }),
  events: [
    [
      {
        ...olderEvent,
        platform: 'java',
        level: 'error',
        message: 'outer',
        culprit: null,
        transaction: null,
        'sentry.interfaces.Exception': [
          { type: 'IllegalStateException', value: 'bad state', module: 'java.lang', ...shopStack },
          { type: 'RuntimeException', value: 'outer', module: 'java.lang', ...shopStack },
        ],
      },
      { title: 'RuntimeException: outer', culprit: 'pay(shop.Main)', level: 'error' },
    ],
    [
      {
        ...olderEvent,
        platform: 'java',
        level: 'warning',
        message: null,
        'sentry.interfaces.Message': { message: 'user %s left', params: ['bob'] },
      },
      { type: 'default', title: 'user bob left', culprit: null, level: 'warning' },
    ],
  ],
};

const sendBase64 = (event: object, key: string): ClientRequest => ({
  headers: { ...createAuthHeader(key), 'Content-Type': 'application/octet-stream' },
  body: toBase64Zlib(event),
});

const ravenNode: ClientReports = {
  client: 'raven 2.6 (Node)',
  endpoint: 'store',
  buildRequest: sendBase64,
  events: [
    [
      {
        ...COMMON,
        platform: 'node',
        message: 'RangeError: too far',
        transaction: 'cart.js at checkout',
        exception: [
          {
            type: 'RangeError',
            value: 'too far',
            stacktrace: toStack(cartFrame, toFrame('Raven.captureException', { module: 'raven.lib:client' }, false)),
          },
        ],
      },
      { title: 'RangeError: too far', culprit: 'cart.js at checkout', level: 'error' },
    ],
  ],
};

const ravenPython: ClientReports = {
  client: 'raven 6.10 (Python)',
  endpoint: 'store',
  buildRequest: (event, key) => ({
    headers: { ...createAuthHeader(key), 'Content-Encoding': 'deflate', 'Content-Type': 'application/octet-stream' },
    body: deflateSync(JSON.stringify(event)),
  }),
  events: [
    [
      {
        ...pythonEvent,
        level: 40,
        message: "KeyError: 'missing'",
        exception: {
          values: [
            { type: 'ZeroDivisionError', value: 'division by zero', module: 'builtins', ...pollStack },
            { type: 'KeyError', value: "'missing'", module: 'builtins', ...pollStack },
          ],
        },
      },
      { title: "KeyError: 'missing'", culprit: 'vote(polls)', level: 'error' },
    ],
    [
      {
        ...pythonEvent,
        level: 30,
        message: 'user %s left',
        'sentry.interfaces.Message': { message: 'user %s left', params: ["'bob'"], formatted: null },
        ...pollStack,
      },
      { type: 'default', title: "user 'bob' left", culprit: 'vote(polls)', level: 'warning' },
    ],
  ],
};

const ravenGo: ClientReports = {
  client: 'raven-go 0.2',
  endpoint: 'store',
  buildRequest: sendBase64,
  events: [
    [
      {
        ...goEvent,
        message: 'assignment to entry in nil map',
        culprit: 'main.pay',
        exception: {
          type: 'runtime.plainError',
          value: 'assignment to entry in nil map',
          stacktrace: toStack(
            toFrame('pay', { module: 'main' }, true),
            toFrame('CapturePanicAndWait', { module: 'github.com/getsentry/raven-go.(*Client)' }, false),
            toFrame('mapassign_faststr', { module: 'runtime' }, false),
          ),
        },
      },
      { title: 'runtime.plainError: assignment to entry in nil map', culprit: 'pay(main)', level: 'error' },
    ],
    [
      { ...goEvent, message: 'user bob left', logentry: { message: 'user %s left', params: ['bob'] } },
      { type: 'default', title: 'user bob left', culprit: null, level: 'error' },
    ],
  ],
};

const ruby: ClientReports = {
  client: 'sentry-ruby 5',
  endpoint: 'envelope',
  buildRequest: (event, key) => ({
    headers: { ...createAuthHeader(key), 'Content-Type': 'application/json' },
    body: buildEnvelope(event, { length: true }),
  }),
  events: [
    [
      {
        ...COMMON,
        platform: 'ruby',
        level: 'error',
        fingerprint: [],
        exception: {
          values: [
            {
              type: 'ZeroDivisionError',
              value: 'divided by 0',
              stacktrace: toStack(toFrame('/', { filename: 'a.rb' }, true)),
            },
            {
              type: 'RuntimeError',
              value: 'no total',
              stacktrace: toStack(toFrame('total', { filename: 'b.rb' }, true)),
            },
          ],
        },
      },
      { title: 'RuntimeError: no total', culprit: 'total(b.rb)', level: 'error' },
    ],
  ],
};

export const CLIENT_REPORTS: readonly ClientReports[] = [
  node11,
  browser11,
  python2,
  go,
  rust,
  cli,
  java8,
  java1,
  ravenNode,
  ravenPython,
  ravenGo,
  ruby,
];
