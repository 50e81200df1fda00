// `npm run test:web`: the pages of the web application in Chromium, each in both colour schemes and on a small screen, and journeys
// through them on both engines. Skipped with the reason where there is no Chromium. The last line is `N passed, N failed, N skipped`.
// `npm run test:web -- --write` only writes the accessibility trees of the pages, test/web/aria/.
import { buildWeb } from '../../scripts/web.ts';
import { installFromDebian } from '../clients/debian.ts';
import { startPostgres } from '../engines/postgres-server.ts';
import { check, count } from './harness.ts';
import { checkAccount } from './journeys/account.ts';
import { checkCiSettings } from './journeys/ci-settings.ts';
import { checkCode } from './journeys/code.ts';
import { checkForeignText } from './journeys/foreign-text.ts';
import { checkMergeRequests } from './journeys/merge-requests.ts';
import { checkNamespaces } from './journeys/namespaces.ts';
import { checkPipelines } from './journeys/pipelines.ts';
import { checkPlanning } from './journeys/planning.ts';
import { checkShell } from './journeys/shell.ts';
import { checkPages, writeTrees } from './page-checks.ts';
import { type Setup, withSetup } from './setup.ts';

async function checkJourneys(setup: Setup): Promise<void> {
  await checkShell(setup);
  await checkCode(setup);
  await checkNamespaces(setup);
  await checkPlanning(setup);
  await checkMergeRequests(setup);
  await checkPipelines(setup);
  await checkAccount(setup);
  await checkCiSettings(setup);
}

const writePages = (group: string): Promise<void> => withSetup({ group }, writeTrees);

/** Groups of checks by name. Each has its own server and browser. */
const GROUPS: Readonly<Record<string, (group: string) => Promise<void>>> = {
  pages: (group) =>
    withSetup({ group }, async (setup, addresses) => {
      await checkPages(setup, addresses);
      // What a browser does with foreign text is the same on both engines.
      await checkForeignText(setup);
    }),
  SQLite: (group) => withSetup({ group }, checkJourneys),
  PostgreSQL: async (group) => {
    const postgres = await startPostgres();
    await withSetup({ group, databaseUrl: postgres.url }, checkJourneys).finally(() => postgres.stop());
  },
};

if (!installFromDebian({ name: 'chromium', probe: ['/usr/bin/chromium', '--version'] })) {
  count.skipped++;
  process.stdout.write('web: skipped, the Debian package chromium cannot be installed here\n');
} else {
  await buildWeb();
  // At the same time, because a check often waits: for the server, for the browser, or for the next read of a page.
  const groups = process.argv.includes('--write') ? { pages: writePages } : GROUPS;
  await Promise.all(
    Object.entries(groups).map(([group, run]) => check({ group }, 'all checks have run', () => run(group))),
  );
}
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);
