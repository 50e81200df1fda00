// `node bin/launcher.js bench/pushes.ts`: pushes of few and many tags, each compared with `git http-backend` in the same round.
// `node bin/launcher.js bench/pushes.ts 500 2000` measures only these numbers of tags.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, gitWithInput, makeRepository } from './git.ts';
import { medianOf } from './load.ts';
import { type Running, startGitFloor, startHearth } from './processes.ts';
import { SEED_TOKEN as TOKEN } from './seed.ts';

const rounds = 5;
const counts = process.argv.slice(2).map(Number);
const place = mkdtempSync(join(tmpdir(), 'hearth-pushes-'));
try {
  await run(counts.length > 0 ? counts : [1, 500, 2000]);
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function run(tagCounts: readonly number[]): Promise<void> {
  const hearth = await startHearth(join(place, 'data'), {
    HEARTH_ROOT_TOKEN: TOKEN,
    HEARTH_ROOT_PASSWORD: 'bench-password-1',
  });
  const floorDirectory = join(place, 'floor');
  mkdirSync(floorDirectory);
  const floor = await startGitFloor(floorDirectory);
  try {
    for (const count of tagCounts) await benchTags(hearth, floor, floorDirectory, count);
  } finally {
    await floor.stop();
    await hearth.stop();
  }
}

async function benchTags(hearth: Running, floor: Running, floorDirectory: string, count: number): Promise<void> {
  const work = join(place, `work-${count}`);
  makeRepository(work, { commits: 10, branches: 0 });
  const ids = git(work, 'rev-list', 'main').toString().trim().split('\n');
  const refs = Array.from({ length: count }, (_, index) => `create refs/tags/v${index} ${ids[index % ids.length]}\n`);
  gitWithInput(work, refs.join(''), 'update-ref', '--stdin');
  const [ours, theirs]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const name = `tags-${count}-${round}`;
    git(floorDirectory, 'init', '-q', '--bare', `${name}.git`);
    git(join(floorDirectory, `${name}.git`), 'config', 'http.receivepack', 'true');
    const body = new URLSearchParams({ name });
    await fetch(`${hearth.address}/api/v4/projects`, { method: 'POST', headers: { 'PRIVATE-TOKEN': TOKEN }, body });
    const remote = hearth.address.replace('http://', `http://root:${TOKEN}@`);
    theirs!.push(pushTags(work, `${floor.address}/${name}.git`));
    ours!.push(pushTags(work, `${remote}/root/${name}.git`));
  }
  const ratio = medianOf(ours!.map((each, round) => each / theirs![round]!));
  const [median, floorMedian] = [medianOf(ours!), medianOf(theirs!)].map((each) => `${each.toFixed(0)} ms`);
  process.stdout.write(
    `${`push of ${count} tags`.padEnd(28)} ${median}, floor ${floorMedian}, ratio ${ratio.toFixed(2)}\n`,
  );
}

/** Returns the milliseconds of a push of all tags to a repository that has their commits. */
function pushTags(work: string, url: string): number {
  git(work, 'push', '-q', url, 'main');
  const begun = performance.now();
  git(work, 'push', '-q', url, '--tags');
  return performance.now() - begun;
}
