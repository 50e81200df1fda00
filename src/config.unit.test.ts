import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import {
  ConfigError,
  ENV_VARIABLE_NAMES,
  getBaseUrl,
  getServerUrl,
  isInCidrs,
  loadConfig,
  parseCidr,
} from './config.ts';

test('uses the documented defaults without any variable', () => {
  const config = loadConfig({});
  const { dataDir, storages, ...rest } = config;
  assert.equal(dataDir, resolve('data'));
  assert.deepEqual({ ...storages }, { default: { path: resolve('data/repositories') } });
  assert.deepEqual(rest, {
    host: '127.0.0.1',
    port: 8080,
    externalUrl: null,
    trustedProxies: [],
    databaseUrl: null,
    blobsDir: resolve('data/blobs'),
    secretKey: null,
    rootToken: null,
    rootPassword: null,
    tier: 'ultimate',
    impersonationEnabled: true,
    registrationToken: null,
    allowLocalRequests: false,
    role: 'primary',
    primaryUrl: null,
    primaryToken: null,
    siteName: null,
    siteSyncIntervalSeconds: 10,
    siteStatusIntervalSeconds: 60,
    shutdownTimeoutSeconds: 8,
    metricsToken: null,
    logLevel: 'info',
    mail: { delivery: 'off', smtpUrl: null, from: null, displayName: null, replyTo: null },
  });
});

const EVERY_VARIABLE = {
  HEARTH_HOST: '[::1]',
  HEARTH_PORT: '0',
  HEARTH_EXTERNAL_URL: 'https://forge.example/code/',
  HEARTH_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
  HEARTH_DATA_DIR: '/srv/hearth',
  HEARTH_DATABASE_URL: 'postgres://u:p@db/hearth',
  HEARTH_STORAGES: '{"default":{"path":"repos"},"second":{"path":"/mnt/second"}}',
  HEARTH_BLOBS: 'files',
  HEARTH_SECRET_KEY: 'Ab'.repeat(32),
  HEARTH_ROOT_TOKEN: 'glpat-root',
  HEARTH_ROOT_PASSWORD: ' eight ch',
  HEARTH_TIER: 'free',
  HEARTH_IMPERSONATION_ENABLED: 'false',
  HEARTH_REGISTRATION_TOKEN: 'GR-1',
  HEARTH_ALLOW_LOCAL_REQUESTS: 'TRUE',
  HEARTH_ROLE: 'secondary',
  HEARTH_PRIMARY_URL: 'http://primary:8080',
  HEARTH_PRIMARY_TOKEN: 'key:secret',
  HEARTH_SITE_NAME: 'Lab two',
  HEARTH_SITE_SYNC_INTERVAL: '1',
  HEARTH_SITE_STATUS_INTERVAL: '5',
  HEARTH_SHUTDOWN_TIMEOUT: '20',
  HEARTH_METRICS_TOKEN: 'metrics',
  HEARTH_LOG_LEVEL: 'debug',
  HEARTH_MAIL_DELIVERY: 'smtp',
  HEARTH_SMTP_URL: 'smtps://u:p@mail:465',
  HEARTH_MAIL_FROM: 'hearth@forge.example',
  HEARTH_MAIL_DISPLAY_NAME: 'The forge',
  HEARTH_MAIL_REPLY_TO: 'noreply@forge.example',
};

/** What is read of them, but for what is tested by its meaning. */
const EVERY_VALUE = {
  host: '::1',
  port: 0,
  dataDir: '/srv/hearth',
  blobsDir: '/srv/hearth/files',
  databaseUrl: 'postgres://u:p@db/hearth',
  rootToken: 'glpat-root',
  rootPassword: ' eight ch',
  tier: 'free',
  impersonationEnabled: false,
  registrationToken: 'GR-1',
  allowLocalRequests: true,
  role: 'secondary',
  primaryToken: 'key:secret',
  siteName: 'Lab two',
  siteSyncIntervalSeconds: 1,
  siteStatusIntervalSeconds: 5,
  shutdownTimeoutSeconds: 20,
  metricsToken: 'metrics',
  logLevel: 'debug',
  mail: {
    delivery: 'smtp',
    smtpUrl: 'smtps://u:p@mail:465',
    from: 'hearth@forge.example',
    displayName: 'The forge',
    replyTo: 'noreply@forge.example',
  },
};

test('reads every variable', () => {
  const { externalUrl, trustedProxies, storages, secretKey, primaryUrl, ...rest } = loadConfig(EVERY_VARIABLE);
  assert.equal(externalUrl && getBaseUrl(externalUrl), 'https://forge.example/code');
  assert.equal(primaryUrl && getBaseUrl(primaryUrl), 'http://primary:8080');
  assert.equal(isInCidrs(trustedProxies, '10.9.9.9') && isInCidrs(trustedProxies, '::1'), true);
  assert.deepEqual({ ...storages }, { default: { path: '/srv/hearth/repos' }, second: { path: '/mnt/second' } });
  assert.equal(secretKey?.length, 32);
  assert.deepEqual(rest, EVERY_VALUE);
});

test('the list of settings contains exactly the settings that are read', () => {
  const read = new Set<string>();
  loadConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  assert.deepEqual([...read].sort(), ENV_VARIABLE_NAMES.toSorted());
  assert.deepEqual(Object.keys(EVERY_VARIABLE).sort(), ENV_VARIABLE_NAMES.toSorted());
});

test('rejects a HEARTH_PORT set by Kubernetes with its origin and the remedy', () => {
  for (const value of ['tcp://10.0.0.1:8080', 'udp://[fd00::1]:53']) {
    assert.throws(
      () => loadConfig({ HEARTH_PORT: value }),
      (error) =>
        error instanceof ConfigError &&
        error.message ===
          `HEARTH_PORT is ${value}, which Kubernetes sets for a service called "hearth". ` +
            'Set enableServiceLinks: false in the pod, or rename the service.',
    );
  }
  assert.throws(() => loadConfig({ HEARTH_PORT: 'tcp://u:hunter2@x' }), /must be a whole number/);
});

test('an empty variable counts as unset', () => {
  assert.equal(loadConfig({ HEARTH_PORT: '', HEARTH_ROOT_PASSWORD: '', HEARTH_TIER: '  ' }).port, 8080);
});

const WRONG: Record<string, string[]> = {
  HEARTH_HOST: ['a b', 'http://x', '-x'],
  HEARTH_PORT: ['65536', '-1', '80a', '1.5', '0x50'],
  HEARTH_EXTERNAL_URL: ['forge.example', 'ftp://x', 'https://u:hunter2@x', 'https://x/?a=hunter2', 'https://x/#a'],
  HEARTH_TRUSTED_PROXIES: ['10.0.0.0/33', 'proxy', '10.0.0.1 10.0.0.2'],
  HEARTH_DATABASE_URL: ['mysql://u:hunter2@x/y', 'hunter2', 'postgres://u:hunter2@x:port/y'],
  HEARTH_STORAGES: [
    'hunter2',
    '[]',
    'null',
    '{}',
    '{"other":{"path":"/x"}}',
    '{"default":{"path":""}}',
    '{"default":"/x"}',
    '{"default":{"path":"/x"},"a/b":{"path":"/y"}}',
    '{"default":{"path":"/x"},"__proto__":{"path":"/y"}}',
    '{"default":{"path":"/x"},"b":{"path":"/x"}}',
    '{"default":{"path":"/x"},"b":{"path":"/x/y"}}',
  ],
  HEARTH_BLOBS: ['repositories', 'repositories/blobs'],
  HEARTH_SECRET_KEY: ['hunter2', 'ab'.repeat(31), 'zz'.repeat(32)],
  HEARTH_ROOT_TOKEN: ['hunter2 token', 'hunter2\u00e9', 'hunter2'.repeat(50)],
  HEARTH_ROOT_PASSWORD: ['hunter2', 'hunter2'.repeat(30)],
  HEARTH_TIER: ['gold', 'Free'],
  HEARTH_IMPERSONATION_ENABLED: ['maybe'],
  HEARTH_REGISTRATION_TOKEN: ['hunter2 token'],
  HEARTH_ALLOW_LOCAL_REQUESTS: ['2'],
  HEARTH_ROLE: ['tertiary'],
  HEARTH_PRIMARY_URL: ['primary', 'http://u:hunter2@x'],
  HEARTH_PRIMARY_TOKEN: ['hunter2 token'],
  HEARTH_SITE_NAME: ['a\nb', 'x'.repeat(256)],
  HEARTH_SITE_SYNC_INTERVAL: ['0', 'x'],
  HEARTH_SITE_STATUS_INTERVAL: ['0', '86401'],
  HEARTH_SHUTDOWN_TIMEOUT: ['-1', '3601', '8s'],
  HEARTH_LOG_LEVEL: ['loud'],
  HEARTH_MAIL_DELIVERY: ['post'],
  HEARTH_SMTP_URL: ['http://u:hunter2@x', 'smtp:hunter2', 'smtp://u:hunter2%@x', 'smtp://u:hunter2%E4@x'],
  HEARTH_MAIL_FROM: ['nobody', 'a@b\r\nBcc: c@d', 'Me <a@b>'],
  HEARTH_MAIL_DISPLAY_NAME: ['a\nb'],
  HEARTH_MAIL_REPLY_TO: ['nobody'],
};

test('rejects an invalid value with a message that names the variable and hides secrets', () => {
  for (const [name, values] of Object.entries(WRONG)) {
    for (const value of values) {
      assert.throws(
        () => loadConfig({ [name]: value }),
        (error: unknown) =>
          error instanceof ConfigError && error.message.startsWith(name) && !error.message.includes('hunter2'),
        `${name}=${value}`,
      );
    }
  }
});

test('smtp delivery without external URL, server or sender names the missing setting', () => {
  assert.throws(() => loadConfig({ HEARTH_MAIL_DELIVERY: 'smtp' }), /^ConfigError: HEARTH_EXTERNAL_URL must be set/);
  const smtp = { HEARTH_MAIL_DELIVERY: 'smtp', HEARTH_EXTERNAL_URL: 'https://hearth.test' };
  assert.throws(() => loadConfig(smtp), /^ConfigError: HEARTH_SMTP_URL must be set/);
  assert.throws(
    () => loadConfig({ ...smtp, HEARTH_SMTP_URL: 'smtp://x' }),
    /^ConfigError: HEARTH_MAIL_FROM must be set/,
  );
});

test('a secondary names its primary', () => {
  const secondary = { HEARTH_ROLE: 'secondary' };
  assert.throws(
    () => loadConfig(secondary),
    /^ConfigError: HEARTH_PRIMARY_URL must be set when HEARTH_ROLE is secondary$/,
  );
  assert.equal(loadConfig({ ...secondary, HEARTH_PRIMARY_URL: 'https://hq.example/x/' }).primaryUrl?.pathname, '/x');
  assert.equal(loadConfig({}).primaryUrl, null);
});

test('the base URL without a request is the external URL, or host and port', () => {
  assert.equal(getServerUrl(loadConfig({ HEARTH_EXTERNAL_URL: 'https://x/' })), 'https://x');
  assert.equal(getServerUrl(loadConfig({})), 'http://127.0.0.1:8080');
  assert.equal(getServerUrl(loadConfig({ HEARTH_HOST: '::1', HEARTH_PORT: '0' }), 4711), 'http://[::1]:4711');
});

test('a storage name of Object.prototype is not a storage', () => {
  assert.equal(loadConfig({}).storages.constructor, undefined);
});

test('addresses match ranges of their own family, mapped IPv4 as IPv4', () => {
  const ranges = ['10.0.0.0/8', 'fc00::/7', '192.168.1.1'].map((text) => parseCidr(text)!);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', '192.168.1.1']) {
    assert.equal(isInCidrs(ranges, inside), true, inside);
  }
  for (const outside of ['11.0.0.1', '::1', '192.168.1.2', 'nonsense', '10']) {
    assert.equal(isInCidrs(ranges, outside), false, outside);
  }
  assert.equal(isInCidrs([parseCidr('::ffff:10.0.0.0/104')!], '10.9.9.9'), true);
  for (const text of [
    '0/0',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '/8',
    '::ffff:10.0.0.0/95',
    'host',
    '1.2.3.4/8/8',
  ]) {
    assert.equal(parseCidr(text), null, text);
  }
});
