import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVictim } from '../crash/process.ts';
import { execute, readDeployFile, root, withScratch } from './tools.ts';

const UNITS = ['hearth.service', 'hearth-backup.service', 'hearth-backup.timer'];

/** `systemd-analyze` finds no mistake in the units, and rates the service as well protected. */
export function checkUnits(): Promise<void> {
  return withScratch(async (scratch) => {
    const executable = join(scratch, 'hearth');
    writeFileSync(executable, '#!/bin/sh\n');
    chmodSync(executable, 0o755);
    const files = UNITS.map((name) => {
      const path = join(scratch, name);
      const text = readDeployFile(`systemd/${name}`);
      writeFileSync(path, text.replaceAll('/opt/hearth/node_modules/.bin/hearth', executable));
      return path;
    });
    const messages = await execute('systemd-analyze', ['verify', '--man=no', ...files]);
    // The machine's own units are read too: only messages about these units count.
    const mistakes = messages.split('\n').filter((line) => line.includes(scratch) || line.includes('hearth'));
    if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
    // Of 100, from 0 (protected) upwards; a service without any of these directives has 96.
    await execute('systemd-analyze', ['security', '--offline=true', '--threshold=25', '--no-pager', files[0]!]);
  });
}

/** Compose accepts the file. Debian's release is older than the key `name`. */
export function checkCompose(): Promise<void> {
  return withScratch(async (scratch) => {
    const file = join(scratch, 'compose.yaml');
    writeFileSync(file, readDeployFile('compose.yaml').replace(/^name: .*\n/m, ''));
    const env = { ...process.env, POSTGRES_PASSWORD: 'secret', HEARTH_SECRET_KEY: 'a'.repeat(64) };
    await execute('docker-compose', ['--file', file, 'config', '--quiet'], { env });
  });
}

/** `promtool` accepts the scrape configuration and the alert rules. */
export async function checkAlertRules(): Promise<void> {
  await execute('promtool', ['check', 'config', join(root, 'deploy/prometheus/prometheus.yml')]);
}

/** `promtool` reads the metrics of a running server, and every expression of the dashboard. */
export function checkExposedMetrics(): Promise<void> {
  return withScratch(async (scratch) => {
    const server = await startVictim(join(scratch, 'data'), undefined);
    try {
      const response = await fetch(`${server.address}/-/metrics`);
      const file = join(scratch, 'metrics');
      writeFileSync(file, await response.text());
      await execute('sh', ['-c', 'promtool check metrics < "$0"', file]);
    } finally {
      await server.stop();
    }
    const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboard.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = expressions.map((expression, index) => ({
      record: `dashboard:expression:${index}`,
      expr: expression.replaceAll('$__rate_interval', '5m'),
    }));
    const rulesFile = join(scratch, 'rules.yml');
    writeFileSync(rulesFile, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    await execute('promtool', ['check', 'rules', rulesFile]);
  });
}
