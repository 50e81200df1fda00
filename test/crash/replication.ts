import assert from 'node:assert/strict';
import { startVictim, TOKEN, type Victim } from './process.ts';
import { asked } from './request.ts';

// Two real servers: one is written to while the other, which follows it, is killed.

interface Place {
  readonly dataDir: string;
  readonly url: string | undefined;
}

interface Following {
  /** How often the secondary is killed. */
  readonly rounds: number;
  readonly primary: Place;
  readonly secondary: Place;
}

const PROJECTS = 3;
const COMMITS = 4;

/** Asserts that every copy exists, is verified and equals the original, and that the secondary's counters match. */
export async function followingWhileKilled({ rounds, primary, secondary }: Following): Promise<void> {
  const hq = await startVictim(primary.dataDir, primary.url);
  const start = () =>
    startVictim(secondary.dataDir, secondary.url, {
      HEARTH_ROLE: 'secondary',
      HEARTH_PRIMARY_URL: hq.address,
      HEARTH_PRIMARY_TOKEN: TOKEN,
      HEARTH_SITE_NAME: 'lyon',
      HEARTH_SITE_SYNC_INTERVAL: '1',
      HEARTH_SITE_STATUS_INTERVAL: '1',
    });
  await asked(hq, 'POST', '/geo_sites', { name: 'hq', url: hq.address, primary: true });
  const projects: Project[] = [];
  for (let made = 0; made < PROJECTS; made++) {
    projects.push(await asked(hq, 'POST', '/projects', { name: `p${made}`, initialize_with_readme: true }));
  }
  let site = await start();
  try {
    for (let round = 0; round < rounds; round++) {
      const written = Promise.all(projects.map((project) => write(hq, project, round)));
      // In the middle of a copy, or right behind it.
      await hq.says('request fetchPack');
      await site.kill();
      await written;
      site = await start();
    }
    await converged(hq);
    for (const project of projects) await isLikeOriginal(hq, site, project);
  } finally {
    await site.stop();
    await hq.stop();
  }
}

interface Project {
  readonly id: number;
  readonly path_with_namespace: string;
}

async function write(hq: Victim, { id }: Project, round: number): Promise<void> {
  for (let commit = 0; commit < COMMITS; commit++) {
    const file = { branch: 'main', commit_message: 'More', content: `${round} ${commit}` };
    await asked(hq, 'POST', `/projects/${id}/repository/files/f-${round}-${commit}.txt`, file);
  }
}

/** The maximum number of status reports until everything is verified. */
const MOST_REPORTS = 60;

async function converged(hq: Victim): Promise<void> {
  const sites: { id: number; name: string }[] = await asked(hq, 'GET', '/geo_sites');
  const { id } = sites.find(({ name }) => name === 'lyon')!;
  assert.equal(sites.length, 2, 'it has registered more than once');
  let counts: unknown[] = [];
  for (let report = 0; report < MOST_REPORTS; report++) {
    await hq.says('request reportGeoStatus');
    const status = await asked(hq, 'GET', `/geo_sites/${id}/status`);
    counts = ['registry', 'synced', 'verified'].map((what) => status[`project_repositories_${what}_count`]);
    if (counts.every((count) => count === PROJECTS) && status.db_replication_lag_seconds === 0) return;
  }
  assert.fail(`Of ${PROJECTS} it has known, copied and verified ${counts}`);
}

async function isLikeOriginal(hq: Victim, site: Victim, { path_with_namespace: path }: Project): Promise<void> {
  const refs = async ({ address }: Victim) => {
    const headers = { authorization: `Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}` };
    const answer = await fetch(`${address}/${path}.git/info/refs?service=git-upload-pack`, { headers });
    return { proxied: answer.headers.get('x-hearth-proxied'), text: await answer.text() };
  };
  const copy = await refs(site);
  assert.equal(copy.proxied, 'false');
  assert.equal(copy.text, (await refs(hq)).text);
}
