import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient } from './api-client.ts';
import { type Company, createCompany } from './company.ts';
import { listEvents, type StoryEvent } from './events.ts';
import type { ProjectData } from './project-data.ts';
import { controller } from './projects/controller.ts';
import { handbook } from './projects/handbook.ts';
import { shop } from './projects/shop.ts';
import { createDemoRunner, type DemoRunner } from './runner.ts';
import type { StoryClock } from './story-clock.ts';
import { createWorkTree } from './work-tree.ts';

const PROJECTS: readonly ProjectData[] = [controller, shop, handbook];

/** A server that runs background jobs only on request. */
interface DemoServer {
  readonly address: string;
  readonly queue: { runDue(): Promise<unknown> };
}

interface DemoOptions {
  readonly clock: StoryClock;
  /** A token of the administrator, which is revoked at the end. */
  readonly rootToken: string;
  /** The password of the people. */
  readonly password: string;
}

/**
 * Fills an empty server with a year of a maker of pellet stoves: calls of the API, pushes by git, and pipelines that a runner
 * executes. The result is the same for the same end of the clock.
 */
export async function createDemo(server: DemoServer, { clock, rootToken, password }: DemoOptions): Promise<void> {
  const { address } = server;
  const settle = async () => void (await server.queue.runDue());
  const root = createApiClient(address, rootToken);
  const company = await createCompany({ address, root, clock, password });
  const runner = createDemoRunner(address, company.runnerToken, { clock, settle });
  const directory = await mkdtemp(join(tmpdir(), 'hearth-demo-'));
  try {
    const events: StoryEvent[] = [];
    for (const data of PROJECTS)
      events.push(...(await createProject({ company, data, directory, address, runner, clock })));
    for (const { day, time, run } of sortEvents(events)) {
      clock.advanceTo(day, time);
      await run();
    }
    await settle();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  await root.request('DELETE', '/personal_access_tokens/self');
}

interface NewProject {
  readonly company: Company;
  readonly data: ProjectData;
  /** Directory of the clones. */
  readonly directory: string;
  readonly address: string;
  readonly runner: DemoRunner;
  readonly clock: StoryClock;
}

/** Creates a project and returns its events. */
async function createProject({ company, data, directory, address, runner, clock }: NewProject): Promise<StoryEvent[]> {
  const { group, path, name, description, visibility } = data;
  const { id } = await company.people.ingrid.request('POST', '/projects', {
    path,
    name,
    description,
    visibility,
    namespace_id: company.groups[group].id,
    only_allow_merge_if_pipeline_succeeds: true,
  });
  const workTree = await createWorkTree(join(directory, `${path}.git`), `${address}/${group}/${path}.git`);
  return listEvents({ company, data, at: `/projects/${id}`, workTree, runner, clock });
}

function sortEvents(events: readonly StoryEvent[]): StoryEvent[] {
  const toMinutes = ({ day, time }: StoryEvent) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return (day * 24 + hours) * 60 + minutes;
  };
  return events.toSorted((a, b) => toMinutes(a) - toMinutes(b));
}
