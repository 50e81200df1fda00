// `npm run test:deploy`: the files in deploy/ in the programs that read them. A program that is missing is installed if that is
// possible, otherwise its checks are skipped with the reason; `npm run test:deploy -- image` runs only those named. The last line
// is `N passed, N failed, N skipped`.
import { installFromDebian } from '../clients/debian.ts';
import { checkImage } from './image.ts';
import { checkCaddy, checkNginx } from './proxies.ts';
import { checkAlertRules, checkCompose, checkExposedMetrics, checkUnits } from './syntax.ts';

interface Check {
  readonly name: string;
  /** The Debian package with the program, and a command that succeeds if it is installed. */
  readonly needs: { readonly name: string; readonly probe: readonly string[] };
  readonly run: () => Promise<void> | void;
}

const NGINX = { name: 'nginx', probe: ['nginx', '-v'] };
const CADDY = { name: 'caddy', probe: ['caddy', 'version'] };
const PROMTOOL = { name: 'prometheus', probe: ['promtool', '--version'] };

const COMPOSE = { name: 'docker-compose', probe: ['docker-compose', 'version'] };

const checks: readonly Check[] = [
  { name: 'units', needs: { name: 'systemd', probe: ['systemd-analyze', '--version'] }, run: checkUnits },
  { name: 'alert-rules', needs: PROMTOOL, run: checkAlertRules },
  { name: 'metrics', needs: PROMTOOL, run: checkExposedMetrics },
  { name: 'nginx-host', needs: NGINX, run: () => checkNginx('host') },
  { name: 'nginx-prefix', needs: NGINX, run: () => checkNginx('prefix') },
  { name: 'caddy-host', needs: CADDY, run: () => checkCaddy('host') },
  { name: 'caddy-prefix', needs: CADDY, run: () => checkCaddy('prefix') },
  { name: 'compose', needs: COMPOSE, run: checkCompose },
  { name: 'image', needs: { name: 'npm', probe: ['npm', '--version'] }, run: checkImage },
];

const count = { passed: 0, failed: 0, skipped: 0 };
const names = process.argv.slice(2);
for (const check of checks) if (names.length === 0 || names.includes(check.name)) await runCheck(check);
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);

async function runCheck({ name, needs, run }: Check): Promise<void> {
  if (!installFromDebian(needs)) {
    count.skipped++;
    process.stdout.write(`${name}: skipped, the Debian package ${needs.name} cannot be installed here\n`);
    return;
  }
  try {
    await run();
    count.passed++;
    process.stdout.write(`${name}: ok\n`);
  } catch (error) {
    count.failed++;
    process.stdout.write(`${name}: failed\n${error instanceof Error ? error.stack : error}\n`);
  }
}
