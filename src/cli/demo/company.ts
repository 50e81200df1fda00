import { type ApiClient, createApiClient } from './api-client.ts';
import { GROUPS, LABELS, MILESTONES, PEOPLE, type Person } from './people.ts';
import type { PersonName, ProjectData } from './project-data.ts';
import { STORY_DAYS, type StoryClock } from './story-clock.ts';

/** A person who calls the API. */
export interface Colleague extends Person, ApiClient {
  readonly id: number;
  readonly email: string;
}

/** A group of the company, with the ids of its milestones in the order of `MILESTONES`. */
interface CompanyGroup {
  readonly id: number;
  readonly milestoneIds: readonly number[];
}

/** The people and groups on the server. */
export interface Company {
  readonly people: Readonly<Record<PersonName, Colleague>>;
  readonly groups: Readonly<Record<ProjectData['group'], CompanyGroup>>;
  /** Authentication token of the runner of all projects. */
  readonly runnerToken: string;
}

interface CompanyOptions {
  readonly address: string;
  readonly root: ApiClient;
  readonly clock: StoryClock;
  /** The password of everybody. */
  readonly password: string;
}

/** Creates the users, the groups with labels and milestones, and a runner. */
export async function createCompany({ address, root, clock, password }: CompanyOptions): Promise<Company> {
  const people = {} as Record<PersonName, Colleague>;
  for (const person of PEOPLE) {
    const { username, name, jobTitle, bio } = person;
    const email = `${username}@northfire.example`;
    const user = { username, name, email, password, job_title: jobTitle, bio, skip_confirmation: true };
    const { id } = await root.request('POST', '/users', user);
    const token = await root.request('POST', `/users/${id}/personal_access_tokens`, {
      name: 'Laptop',
      scopes: ['api', 'read_repository', 'write_repository'],
    });
    people[username] = { ...person, ...createApiClient(address, token.token), id, email };
  }
  const groups = {} as Record<ProjectData['group'], CompanyGroup>;
  for (const group of GROUPS) groups[group.path] = await createGroup(people, group, clock);
  const runner = { runner_type: 'instance_type', description: 'Build machine in the workshop', run_untagged: true };
  const { token: runnerToken } = await root.request('POST', '/user/runners', runner);
  return { people, groups, runnerToken };
}

async function createGroup(
  people: Company['people'],
  { members, ...attributes }: (typeof GROUPS)[number],
  clock: StoryClock,
): Promise<CompanyGroup> {
  const { ingrid } = people;
  const { id } = await ingrid.request('POST', '/groups', attributes);
  for (const { username } of PEOPLE)
    if (username !== 'ingrid')
      await ingrid.request('POST', `/groups/${id}/members`, {
        user_id: people[username].id,
        access_level: members[username],
      });
  for (const label of LABELS) await ingrid.request('POST', `/groups/${id}/labels`, label);
  const milestoneIds: number[] = [];
  const start = clock.now().getTime();
  for (const [index, { title, description }] of MILESTONES.entries()) {
    const toDate = (quarter: number) =>
      new Date(start + Math.round((quarter * STORY_DAYS) / MILESTONES.length) * 86_400_000).toISOString().slice(0, 10);
    const milestone = { title, description, start_date: toDate(index), due_date: toDate(index + 1) };
    milestoneIds.push((await ingrid.request('POST', `/groups/${id}/milestones`, milestone)).id);
  }
  return { id, milestoneIds };
}
