import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { listAddresses } from '#test/support/web-pages.ts';
import { startVictim, TOKEN } from '../crash/process.ts';
import { createSession } from './harness.ts';
import { createPageValues, type Post } from './page-values.ts';

/** The browser and the server that all checks of a group share. */
export interface Setup {
  /** The name of the group of checks. */
  readonly group: string;
  readonly browser: Browser;
  /** The URL of the server. */
  readonly base: string;
  /** The process of the server. */
  readonly pid: number;
  /** The cookies of a browser in which the administrator has signed in. */
  readonly session: Awaited<ReturnType<typeof createSession>>;
  /** Creates something as the administrator. */
  readonly post: Post;
}

/** An address of each page, which shows something. */
export type Addresses = ReturnType<typeof listAddresses>;

/** Starts a server in an empty data directory, with two projects and what the pages show; stops it after `run`. */
export async function withSetup(
  { group = 'SQLite', databaseUrl }: { readonly group?: string; readonly databaseUrl?: string },
  run: (setup: Setup, addresses: Addresses) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-web-'));
  const server = await startVictim(directory, databaseUrl);
  const post: Post = async (path, body) => {
    const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
    const response = await fetch(`${server.address}/api/v4${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return JSON.parse(text);
  };
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const name of ['first-stove', 'second-stove'])
      await post('/projects', { name, visibility: 'public', description: `The firmware of the ${name}` });
    const values = await createPageValues(post, 'root/first-stove');
    const base = server.address;
    const session = await createSession({ browser, base });
    await run({ group, browser, base, pid: server.pid, session, post }, listAddresses(values));
  } finally {
    await browser.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
