// `npm run test:web`: the pages of the web application in Chromium, each in both colour schemes and on a small screen, and journeys
// through them on both engines. Skipped with the reason where there is no Chromium. The last line is `N passed, N failed, N skipped`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildWeb } from '../../scripts/web.ts';
import { installFromDebian } from '../clients/debian.ts';
import { startPostgres } from '../engines/postgres-server.ts';
import { check, count, createSession, SCREENS, withPage } from './harness.ts';
import { checkAccount } from './journeys/account.ts';
import { checkCiSettings } from './journeys/ci-settings.ts';
import { checkCode } from './journeys/code.ts';
import { checkForeignText } from './journeys/foreign-text.ts';
import { checkMergeRequests } from './journeys/merge-requests.ts';
import { checkNamespaces } from './journeys/namespaces.ts';
import { checkPipelines } from './journeys/pipelines.ts';
import { checkPlanning } from './journeys/planning.ts';
import { checkShell } from './journeys/shell.ts';
import { type Addresses, type Setup, withSetup } from './setup.ts';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Asserts that axe (WCAG 2.2 AA and best practices) finds nothing, and that nothing scrolls sideways. */
async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
    const { violations } = await (globalThis as any).axe.run();
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
  assert.deepEqual(findings, []);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(overflow <= 0, `${overflow} px wider than the screen`);
}

async function checkPages(setup: Setup, addresses: Addresses): Promise<void> {
  const storageState = await createSession(setup);
  for (const [name, path] of addresses) {
    await check(`${name}, anonymous`, () =>
      withPage(
        setup,
        SCREENS.light,
        async (page) => {
          await page.goto(path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await assertAccessible(page);
        },
        /status of 40[134]/,
      ),
    );
    for (const [screen, options] of Object.entries(SCREENS)) {
      await check(`${name}, ${screen}`, () =>
        withPage(setup, { ...options, storageState }, async (page) => {
          await page.goto(path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          assert.equal(await page.locator('.state').count(), 0, 'the page shows an error');
          await assertAccessible(page);
        }),
      );
    }
  }
}

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

if (!installFromDebian({ name: 'chromium', probe: ['/usr/bin/chromium', '--version'] })) {
  count.skipped++;
  process.stdout.write('web: skipped, the Debian package chromium cannot be installed here\n');
} else {
  await buildWeb();
  await withSetup(undefined, async (setup, addresses) => {
    await checkPages(setup, addresses);
    await checkJourneys(setup);
    // What a browser does with foreign text is the same on both engines.
    await checkForeignText(setup);
  });
  const postgres = await startPostgres();
  process.stdout.write('The journeys on PostgreSQL:\n');
  await withSetup(postgres.url, checkJourneys).finally(() => postgres.stop());
}
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);
