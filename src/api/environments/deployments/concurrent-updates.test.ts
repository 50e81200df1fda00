import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Project, world } from '#test/support/world.ts';
import { createDeploymentParams } from './fixtures.testing.ts';

const { newProject, clock } = await world();

// Of two looks at the clock none is like the other.
const { now } = clock;
clock.now = () => {
  clock.advance(0.001);
  return now();
};

interface Shown {
  readonly id: number;
  readonly iid: number;
  readonly status: string;
  readonly ref: string;
  readonly created_at: string;
}

/** All of a project, as they came to be. */
async function inOrder({ owner, at }: Project): Promise<Shown[]> {
  return (await owner.get(`${at}/deployments?per_page=100`)).body;
}

test('serializes fifty concurrent deployments to one environment', async () => {
  const project = await newProject({ readme: true });
  const deploymentParams = await createDeploymentParams(project);
  const statuses = ['running', 'success', 'failed', 'canceled', 'success'];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      // Each success names another commit in other letters, so that none is what runs there already.
      project.owner.post(`${project.at}/deployments`, {
        ...deploymentParams,
        sha: String(deploymentParams.sha).slice(0, 40 - (n % 33)),
        status: statuses[n % 5],
      }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  const all = await inOrder(project);
  const made = new Set(answers.map(({ body }) => body.id));
  assert.equal(all.length, made.size);
  const numbers = all.map(({ iid }) => iid);
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, index) => index + 1),
  );
  const times = all.map(({ created_at }) => created_at);
  assert.deepEqual(times, times.toSorted());
  const [environment, ...others] = (await project.owner.get(`${project.at}/environments`)).body;
  assert.deepEqual([others, environment.state], [[], 'available']);
  const { last_deployment } = (await project.owner.get(`${project.at}/environments/${environment.id}`)).body;
  assert.equal(last_deployment.id, all.findLast(({ status }) => status === 'success')?.id);
});

test('creates one deployment for fifty identical concurrent reports', async () => {
  const project = await newProject({ readme: true });
  const deploymentParams = await createDeploymentParams(project, { status: 'success' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => project.owner.post(`${project.at}/deployments`, deploymentParams)),
  );
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal((await inOrder(project)).length, 1);
});

test('returns consistent results for concurrent status updates', async () => {
  const project = await newProject({ readme: true });
  const { id } = (await project.owner.post(`${project.at}/deployments`, await createDeploymentParams(project))).body;
  const ends = Array.from({ length: 20 }, (_, n) => ['success', 'failed', 'canceled'][n % 3]!);
  const answers = await Promise.all(
    ends.map((status) => project.owner.put(`${project.at}/deployments/${id}`, { status })),
  );
  // Whoever is refused has found it where he wanted to have it.
  for (const [n, { status, body }] of answers.entries()) {
    if (status === 200) assert.equal(body.status, ends[n]);
    else assert.match(body.message.status[0], /^cannot transition via "(succeed|drop|cancel)"$/);
  }
  const last = (await project.owner.get(`${project.at}/deployments/${id}`)).body.status;
  assert.ok(ends.includes(last));
});
