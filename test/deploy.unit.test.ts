import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { addServerMetrics } from '#api/instance/health/index.ts';
import { checkVariableNames } from '#cli/setting-names.ts';
import { ENV_VARIABLE_NAMES, loadConfig } from '#config.ts';
import { createDatabaseActivity } from '#database/activity.ts';
import { systemClock } from '#runtime/clock.ts';
import { createMetrics } from '#runtime/metrics.ts';

// What the files in deploy/ refer to must exist. `npm run test:deploy` runs the programs that read them.

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Returns the labels of every metric, by its name; the names of a histogram's series too. */
async function listMetrics(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics();
  const services = {
    config: loadConfig({ HEARTH_DATA_DIR: import.meta.dirname }),
    clock: systemClock,
    database: {
      reader: createReader(),
      activity: createDatabaseActivity(),
      cacheCounts: { hits: 0, misses: 0 },
      getConnections: () => ({ used: 0, idle: 0, waiting: 0 }),
    },
    git: { processes: { children: [{ command: 'archive' }] } },
  };
  addServerMetrics(metrics, services as unknown as Parameters<typeof addServerMetrics>[1]);
  metrics.recordRequest({ endpoint: 'listIssues', method: 'GET', status: 503, seconds: 1 });
  metrics.recordJob({ kind: 'deliver', outcome: 'dead', seconds: 1 });
  metrics.recordGitProcess({ command: 'archive', outcome: 'killed', seconds: 1 });
  metrics.recordMails('failed', 1);
  metrics.recordResponseCacheRead('hit');
  metrics.recordDroppedItems('alert', 1);
  const labelsByMetric = new Map<string, Set<string>>();
  for (const line of (await metrics.text()).split('\n')) {
    const [, typed] = /^# TYPE (\w+) /.exec(line) ?? [];
    const [, name = typed, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = labelsByMetric.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)=/g)) known.add(label);
    labelsByMetric.set(name, known);
  }
  return labelsByMetric;
}

/** A database in which every query returns this row. */
function createReader() {
  const row = { kind: 'deliver', state: 'due', count: 1, oldest: '2026-01-01T00:00:00.000Z' };
  const results: Record<string, unknown> = { execute: async () => [row], executeTakeFirstOrThrow: async () => row };
  // Not a promise: `then` is missing.
  const query: object = new Proxy(() => {}, {
    get: (_target, name) => (name === 'then' ? undefined : (results[String(name)] ?? (() => query))),
  });
  return query;
}

const metrics = await listMetrics();

/** Labels that Prometheus adds to every series. */
const SCRAPE_LABELS = ['job', 'instance'];

/** Returns the metrics and labels of an expression that do not exist. */
function findUnknown(expression: string): string[] {
  const series = [...expression.matchAll(/\b((?:hearth|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  const names = series.map(([, name = '']) => name);
  const known = new Set([...SCRAPE_LABELS, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
  const used = [
    ...series.flatMap(([, , matchers = '']) => [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label)),
    ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((l) => l.trim())),
  ];
  return [...names.filter((name) => !metrics.has(name)), ...used.filter((label) => !known.has(label))];
}

test('finds metrics and labels that do not exist', () => {
  assert.deepEqual(findUnknown('sum by (kind) (hearth_jobs{state="due"})'), []);
  assert.deepEqual(findUnknown('sum by (queue) (hearth_queue{state="due"})'), ['hearth_queue', 'state', 'queue']);
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

test('the scrape configuration shows how to send HEARTH_METRICS_TOKEN', () => {
  const text = read('deploy/prometheus/prometheus.yml').replace(/^( +)#(?=authorization| {2}credentials)/gm, '$1');
  const { scrape_configs } = parse(text) as { scrape_configs: { authorization: object }[] };
  assert.deepEqual(scrape_configs[0]!.authorization, { credentials_file: '/etc/prometheus/hearth-token' });
});

test('every metric and label of the alert rules exists', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length > 10);
  for (const { alert, expr, annotations } of rules) {
    assert.deepEqual(findUnknown(expr), [], alert);
    assert.ok(annotations.summary, alert);
  }
  const { rule_files } = parse(read('deploy/prometheus/prometheus.yml')) as { rule_files: string[] };
  assert.deepEqual(rule_files, ['alerts.yml']);
});

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: Panel[]; templating: object };

test('every metric and label of the dashboard exists, and it shows every metric of Hearth', () => {
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets);
  assert.ok(expressions.length > 20);
  for (const { expr, legendFormat } of expressions) {
    assert.deepEqual(findUnknown(expr), [], expr);
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    assert.deepEqual(findUnknown(`${expr} by (${labels.join(', ')})`), labels.length > 0 ? [] : [''], legendFormat);
  }
  const text = JSON.stringify(dashboard);
  // The dashboard shows one of the three series of a histogram.
  const names = [...metrics.keys()].filter((name) => name.startsWith('hearth_') && !/_(bucket|count|sum)$/.test(name));
  assert.deepEqual(
    names.filter((name) => !text.includes(name)),
    [],
  );
});

test('the panels of the dashboard are within its 24 columns', () => {
  for (const { title, gridPos } of dashboard.panels) assert.ok(gridPos.x + gridPos.w <= 24, title);
});

/** Throws if one of the variables is not a setting, or is close to one. */
function requireSettings(names: readonly string[]): void {
  const unknown = names.filter((name) => !(ENV_VARIABLE_NAMES as readonly string[]).includes(name));
  assert.deepEqual(unknown, []);
}

test('every setting that a file names exists', () => {
  const files = globSync('deploy/**/*', { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length >= 12);
  for (const { parentPath, name } of files) {
    const text = readFileSync(join(parentPath, name), 'utf8');
    requireSettings(text.match(/\bHEARTH_[A-Z_]+\b/g) ?? []);
  }
});

test('the example of an environment file is valid, with its optional settings too', () => {
  const lines = read('deploy/systemd/hearth.env').split('\n');
  const assignments = lines.map((line) => /^#?(HEARTH_\w+)=(.*)$/.exec(line)).filter((match) => match !== null);
  const env = Object.fromEntries(assignments.map(([, name = '', value = '']) => [name, value]));
  assert.ok(Object.keys(env).length >= 5);
  assert.deepEqual(checkVariableNames(env), []);
  assert.equal(loadConfig(env).mail.delivery, 'smtp');
});

/** Returns the directives of a unit file by section; those that occur several times as a list. */
function parseUnit(path: string): Map<string, Map<string, string[]>> {
  const sections = new Map<string, Map<string, string[]>>();
  let section = new Map<string, string[]>();
  for (const line of read(path).split('\n')) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (title !== undefined) {
      section = new Map();
      sections.set(title, section);
    } else if (line !== '' && !line.startsWith('#')) {
      const index = line.indexOf('=');
      assert.ok(index > 0, `${path}: ${line}`);
      const name = line.slice(0, index);
      section.set(name, [...(section.get(name) ?? []), line.slice(index + 1)]);
    }
  }
  return sections;
}

const EXECUTABLE = '/opt/hearth/node_modules/.bin/hearth';

test('the units run the same program as the image, without privileges', () => {
  for (const [file, command] of [
    ['hearth.service', `${EXECUTABLE} serve`],
    ['hearth-backup.service', `${EXECUTABLE} backup`],
  ] as const) {
    const service = parseUnit(`deploy/systemd/${file}`).get('Service')!;
    assert.ok(service.get('ExecStart')![0]!.includes(command), file);
    assert.deepEqual(service.get('NoNewPrivileges'), ['yes'], file);
    assert.deepEqual(service.get('ProtectSystem'), ['strict'], file);
    assert.deepEqual(service.get('User'), ['hearth'], file);
    const directories = service.get('StateDirectory')![0]!.split(' ');
    assert.equal(directories[0], 'hearth');
  }
  assert.ok(read('deploy/Containerfile').includes(`ENTRYPOINT ["${EXECUTABLE}"]`));
});

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of the Containerfile, with continued lines joined. */
function listInstructions(): Instruction[] {
  const text = read('deploy/Containerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ')[0]!, text: line.slice(line.indexOf(' ') + 1) }));
}

test('the image has the Node that the launcher requires, runs as a user, and declares what it serves', () => {
  const instructions = listInstructions();
  const known = 'FROM WORKDIR ARG COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' ');
  assert.deepEqual(
    instructions.filter(({ name }) => !known.includes(name)),
    [],
  );
  const textsOf = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);
  const [, major] = /REQUIRED_MAJOR = (\d+)/.exec(read('bin/launcher.js'))!;
  for (const image of textsOf('FROM')) assert.ok(image.startsWith(`docker.io/library/node:${major}-`), image);
  assert.match(textsOf('USER').join(), /^[1-9]\d+$/);
  assert.deepEqual(textsOf('EXPOSE'), [String(loadConfig({}).port)]);
  assert.deepEqual(textsOf('VOLUME'), ['["/var/lib/hearth"]']);
  assert.match(textsOf('HEALTHCHECK').join(), /127\.0\.0\.1:8080\/-\/readiness/);
  for (const list of [...textsOf('ENTRYPOINT'), ...textsOf('CMD')]) assert.ok(Array.isArray(JSON.parse(list)), list);
});

test('the image is made from the files of the checkout, without those of a build', () => {
  const ignored = read('.dockerignore').trim().split('\n');
  for (const path of ['.git', 'node_modules', 'dist', 'data', 'demo']) assert.ok(ignored.includes(path), path);
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  for (const path of ['package.json', 'package-lock.json', 'src', 'scripts', ...files.filter((f) => f !== 'dist')])
    assert.ok(!ignored.includes(path), path);
});

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period: string;
}

test('the services of compose.yaml refer to each other, to volumes and to files that exist', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml')) as {
    services: Record<string, Service>;
    volumes: object;
  };
  for (const [name, service] of Object.entries(services)) {
    assert.ok(!service.image.endsWith(':latest'), name);
    for (const volume of service.volumes) assert.ok(volume.split(':')[0]! in volumes, volume);
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, 'reachable from this machine only');
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      assert.equal(condition, 'service_healthy');
      assert.ok(services[other]?.healthcheck, `${other} has a health check`);
    }
    assert.ok(Number.parseInt(service.stop_grace_period, 10) > 2 * loadConfig({}).shutdownTimeoutSeconds, name);
  }
  const { hearth } = services;
  assert.ok(existsSync(join(root, 'deploy', hearth!.build!.context, hearth!.build!.dockerfile)));
  const values = { POSTGRES_PASSWORD: 'secret', HEARTH_SECRET_KEY: 'a'.repeat(64) };
  const env = Object.fromEntries(
    Object.entries(hearth!.environment).map(([name, value]) => [name, interpolate(value, values)]),
  );
  assert.deepEqual(checkVariableNames(env), []);
  const config = loadConfig(env);
  assert.equal(config.databaseUrl, 'postgres://hearth:secret@postgres/hearth');
  assert.equal(config.externalUrl?.href, 'http://localhost:8080/');
});

/** Replaces `${NAME:-default}` and `${NAME:?message}` as compose does. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = values[name];
    if (value !== undefined) return value;
    assert.equal(kind, '-', `${name} is required`);
    return rest;
  });
}

test('the proxies pass requests unchanged, do not buffer them, and hide the metrics', () => {
  for (const [kind, path] of [
    ['host', '/'],
    ['prefix', '/hearth/'],
  ]) {
    const nginx = read(`deploy/nginx/${kind}.conf`);
    assert.ok(nginx.includes(`location ${path} {`));
    assert.ok(nginx.includes(`location ^~ ${path}-/metrics {`));
    // With a path, nginx would decode %2F.
    assert.match(nginx, /^\s+proxy_pass http:\/\/hearth;$/m);
    for (const directive of ['proxy_request_buffering off', 'client_max_body_size 0', 'X-Forwarded-For $remote_addr'])
      assert.ok(nginx.includes(`${directive};`), directive);
    const caddy = read(`deploy/caddy/Caddyfile.${kind}`);
    assert.ok(caddy.includes(`\thandle ${path}-/metrics* {\n\t\trespond 404\n`));
    assert.ok(caddy.includes('reverse_proxy 127.0.0.1:8080'));
    for (const text of [nginx, caddy])
      assert.ok(text.includes(`HEARTH_EXTERNAL_URL=https://git.example.com${path}`.replace(/\/$/, '')));
  }
});
