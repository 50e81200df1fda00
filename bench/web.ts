// `node bench/web.ts`: load times of pages of the web application in Chromium, compared with a bare page of the same host:
// the first visit with an empty cache and the next page of the project, locally, and with 150 ms of latency, 1.6 Mbit/s and
// a quarter of the CPU; the longest task of the browser; a log of 50,000 lines; and the cost of 100 open pages for the server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { buildWeb } from '../scripts/web.ts';
import { createRunner, measureLongLog } from '../test/web/journeys/pipelines.ts';
import { type Setup, withSetup } from '../test/web/setup.ts';

const ROUNDS = 7;
const SLOW = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
/** Pages of 100 readers, which read again every few seconds. */
const OPEN_PAGES = 100;
const OPEN_SECONDS = 60;

/** Returns the address of a server whose only page is a heading. */
async function startBarePage(): Promise<{ address: string; close: () => void }> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Bare</title><h1>Bare</h1>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function time(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

async function setConditions(context: BrowserContext, page: Page, isSlow: boolean): Promise<void> {
  const session = await context.newCDPSession(page);
  if (!isSlow) return;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Observes tasks over 50 ms, from the start of each document. */
const OBSERVE_TASKS = `globalThis.taskLengths = [];
new PerformanceObserver((list) => taskLengths.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: 'longtask', buffered: true });`;

interface Visit {
  readonly bare: number;
  readonly first: number;
  readonly next: number;
  readonly longestTask: number;
}

async function visit({ browser, base }: Setup, bareAddress: string, isSlow: boolean): Promise<Visit> {
  const context = await browser.newContext({ baseURL: base });
  const page = await context.newPage();
  await page.addInitScript(OBSERVE_TASKS);
  await setConditions(context, page, isSlow);
  const bare = await time(async () => {
    await page.goto(bareAddress);
    await page.getByRole('heading', { name: 'Bare' }).waitFor();
  });
  const first = await time(async () => {
    await page.goto('/root/first-stove', { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'first-stove' }).waitFor();
    await page.getByRole('heading', { name: 'Stove', exact: true }).waitFor();
  });
  const next = await time(async () => {
    await page.getByRole('link', { name: 'Commits' }).click();
    await page.getByRole('heading', { name: 'Commits of main' }).waitFor();
  });
  const longestTask = await page.evaluate<number>('Math.max(0, ...taskLengths)');
  await context.close();
  return { bare, first, next, longestTask };
}

/** Returns the seconds of CPU time that a process has used. */
function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the share of a core that the server needs for pages that are open and read again, from their requests. */
async function measureOpenPages(setup: Setup, path: string): Promise<{ share: number; requests: number }> {
  const context = await setup.browser.newContext({ baseURL: setup.base, storageState: setup.session });
  const page = await context.newPage();
  const urls = new Map<string, number>();
  page.on('request', (request) => urls.set(request.url(), (urls.get(request.url()) ?? 0) + 1));
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  urls.clear();
  await pause(20_000);
  const [cookie] = await context.cookies();
  await context.close();
  const polled = [...urls].filter(([url]) => url.includes('/api/v4/'));
  const headers = new Headers({ Cookie: `${cookie!.name}=${cookie!.value}` });
  const etags = new Map<string, string>();
  const startedAt = readCpuSeconds(setup.pid);
  let requests = 0;
  const readers = Array.from({ length: OPEN_PAGES }, async (_none, index) => {
    await pause((index / OPEN_PAGES) * 5_000);
    for (const end = Date.now() + OPEN_SECONDS * 1000; Date.now() < end; await pause(20_000 / (polled[0]?.[1] ?? 1))) {
      for (const [url] of polled) {
        const etag = etags.get(url);
        const response = await fetch(url, {
          headers: etag === undefined ? headers : { ...Object.fromEntries(headers), 'If-None-Match': etag },
        });
        await response.arrayBuffer();
        etags.set(url, response.headers.get('ETag') ?? '');
        requests++;
      }
    }
  });
  await Promise.all(readers);
  return { share: (readCpuSeconds(setup.pid) - startedAt) / OPEN_SECONDS, requests };
}

/** Opens the log of a job that has 50,000 lines, in 4.6 MB, some times. */
async function measureLogs(setup: Setup): Promise<void> {
  const address = await (await createRunner(setup)).runLongJob();
  const opened: Awaited<ReturnType<typeof measureLongLog>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await setup.browser.newContext({ baseURL: setup.base, storageState: setup.session });
    opened.push(await measureLongLog(await context.newPage(), address));
    await context.close();
  }
  const get = (key: keyof (typeof opened)[number]) => median(opened.map((values) => values[key])).toFixed(2);
  console.log(
    `log of 50,000 lines: its end after ${get('end')} s, all of it after ${get('whole')} s, ${get('cpu')} s of the processor, at most ${get('longestTask')} ms at once`,
  );
}

await buildWeb();
const bare = await startBarePage();
await withSetup({}, async (setup, addresses) => {
  for (const isSlow of [false, true]) {
    const visits: Visit[] = [];
    for (let round = 0; round < ROUNDS; round++) visits.push(await visit(setup, bare.address, isSlow));
    const format = (key: keyof Visit) => `${median(visits.map((values) => values[key])).toFixed(0)} ms`;
    console.log(
      `${isSlow ? 'slow' : 'local'}: bare page ${format('bare')}, first visit ${format('first')}, next page ${format('next')}, longest task ${format('longestTask')}`,
    );
  }
  await measureLogs(setup);
  const issue = addresses.find(([name]) => name === 'issue')![1];
  const { share, requests } = await measureOpenPages(setup, issue);
  console.log(`${OPEN_PAGES} open issues: ${(share * 100).toFixed(1)} % of a core, ${requests} requests`);
});
bare.close();
