import type { Colleague, Company } from './company.ts';
import { GROUPS, MAINTAINER } from './people.ts';
import type { ChangeData, IssueData, OpenIssueData, PersonName, ProjectData } from './project-data.ts';
import type { DemoRunner } from './runner.ts';
import { STORY_DAYS, type StoryClock } from './story-clock.ts';
import type { WorkTree } from './work-tree.ts';

/** Something that happens on a day of the year, at a time of the day. */
export interface StoryEvent {
  readonly day: number;
  readonly time: string;
  readonly run: () => Promise<void>;
}

/** A project on the server, and the objects that its events use. */
export interface ProjectContext {
  readonly company: Company;
  readonly data: ProjectData;
  /** The path that requests begin with, `/projects/7`. */
  readonly at: string;
  readonly workTree: WorkTree;
  readonly runner: DemoRunner;
  readonly clock: StoryClock;
}

/** Returns the events of a project in any order. */
export function listEvents(context: ProjectContext): StoryEvent[] {
  const { data } = context;
  return [
    { day: 1, time: '9:00', run: () => pushFirstFiles(context) },
    ...data.changes.flatMap((change) => listChangeEvents(context, change)),
    ...data.issues.flatMap((issue) => listIssueEvents(context, issue)),
  ];
}

async function pushFirstFiles(context: ProjectContext): Promise<void> {
  const { data, runner } = context;
  const commits = [{ message: 'Import the work of the past years', files: data.files }];
  await push(context, data.author, { branch: 'main', start: 'none', commits });
  await runner.runAll();
}

async function push(
  { company, workTree, clock }: ProjectContext,
  author: PersonName,
  push: Pick<Parameters<WorkTree['push']>[0], 'branch' | 'start' | 'commits'>,
): Promise<void> {
  clock.pass(60);
  await workTree.push({ ...push, time: clock.now(), committer: company.people[author] });
}

/** Returns the id of the milestone of the quarter in which the day is. */
function getMilestoneId({ company, data }: ProjectContext, day: number): number {
  const { milestoneIds } = company.groups[data.group];
  return milestoneIds[Math.min(milestoneIds.length - 1, Math.floor((day * milestoneIds.length) / STORY_DAYS))]!;
}

async function createIssue(
  context: ProjectContext,
  { title, description, author, labels, comments = [] }: IssueData,
  extra: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { company, at, clock } = context;
  const input = { title, description, labels: labels.join(','), ...extra };
  const { iid } = await company.people[author].request('POST', `${at}/issues`, input);
  for (const [person, body] of comments) {
    clock.pass(40 * 60);
    await company.people[person].request('POST', `${at}/issues/${iid}/notes`, { body });
  }
  return iid;
}

function listIssueEvents(context: ProjectContext, issue: OpenIssueData): StoryEvent[] {
  const { company, at } = context;
  const { day, assignee, closedAfter } = issue;
  let iid = 0;
  const events: StoryEvent[] = [
    {
      day,
      time: '8:40',
      async run() {
        const assignees = assignee === undefined ? {} : { assignee_ids: [company.people[assignee].id] };
        iid = await createIssue(context, issue, { ...assignees, milestone_id: getMilestoneId(context, day) });
      },
    },
  ];
  if (closedAfter !== undefined)
    events.push({
      day: day + closedAfter,
      time: '16:10',
      async run() {
        await company.people[assignee ?? issue.author].request('PUT', `${at}/issues/${iid}`, { state_event: 'close' });
      },
    });
  return events;
}

/** Days between the report of an issue and the merge request that closes it. */
const DAYS_TO_CHANGE = 3;

function listChangeEvents(context: ProjectContext, change: ChangeData): StoryEvent[] {
  const { company, at, runner, clock } = context;
  const { day, author, branch, commits, issue, review, outcome } = change;
  const people = company.people;
  const [firstCommit, ...laterCommits] = commits;
  let issueIid: number | null = null;
  let iid = 0;
  const events: StoryEvent[] = [
    {
      day,
      time: '10:15',
      async run() {
        const firstCommits = change.failsFirst ? [firstCommit!] : commits;
        await push(context, author, { branch, start: 'main', commits: firstCommits });
        clock.pass(5 * 60);
        iid = await openMergeRequest(context, change, issueIid);
        await runner.runAll((job) => change.failsFirst === true && /test|links|simulation/.test(job));
      },
    },
  ];
  if (issue !== undefined)
    events.push({
      day: day - DAYS_TO_CHANGE,
      time: '9:20',
      async run() {
        const extra = { assignee_ids: [people[author].id], milestone_id: getMilestoneId(context, day) };
        issueIid = await createIssue(context, issue, extra);
      },
    });
  if (change.failsFirst)
    events.push({
      day,
      time: '13:30',
      async run() {
        await push(context, author, { branch, start: 'branch', commits: laterCommits });
        await runner.runAll();
      },
    });
  if (review !== undefined) events.push({ day, time: '15:00', run: () => discuss(context, change, iid, review) });
  if (outcome === undefined) events.push({ day: day + 1, time: '9:30', run: () => merge(context, change, iid) });
  if (outcome === 'closed')
    events.push({
      day: day + 2,
      time: '11:00',
      run: () => people[author].request('PUT', `${at}/merge_requests/${iid}`, { state_event: 'close' }),
    });
  if (change.release !== undefined)
    events.push({ day: day + 1, time: '14:00', run: () => release(context, change, change.release!) });
  return events;
}

async function openMergeRequest(
  context: ProjectContext,
  { title, branch, author, reviewer, labels, day }: ChangeData,
  issueIid: number | null,
): Promise<number> {
  const { people } = context.company;
  const { iid } = await people[author].request('POST', `${context.at}/merge_requests`, {
    title,
    source_branch: branch,
    target_branch: 'main',
    description: issueIid === null ? '' : `Closes #${issueIid}`,
    labels: labels.join(','),
    assignee_id: people[author].id,
    reviewer_ids: [people[reviewer].id],
    milestone_id: getMilestoneId(context, day),
    remove_source_branch: true,
  });
  return iid;
}

async function discuss(
  { company: { people }, at, clock }: ProjectContext,
  { author, reviewer }: ChangeData,
  iid: number,
  [comment, response]: readonly [string, string],
): Promise<void> {
  const discussions = `${at}/merge_requests/${iid}/discussions`;
  const { id } = await people[reviewer].request('POST', discussions, { body: comment });
  clock.pass(35 * 60);
  await people[author].request('POST', `${discussions}/${id}/notes`, { body: response });
}

/** Returns this person if they may merge to `main`, else the lead of the project. */
function chooseMaintainer({ company, data }: ProjectContext, person: PersonName): Colleague {
  const { members } = GROUPS.find(({ path }) => path === data.group)!;
  return company.people[members[person] >= MAINTAINER ? person : data.author];
}

async function merge(context: ProjectContext, change: ChangeData, iid: number): Promise<void> {
  const { company, at, runner, clock } = context;
  const mergeRequest = `${at}/merge_requests/${iid}`;
  await company.people[change.reviewer].request('POST', `${mergeRequest}/approve`);
  clock.pass(120);
  const maintainer = chooseMaintainer(context, change.reviewer);
  await maintainer.request('PUT', `${mergeRequest}/merge`, { should_remove_source_branch: true });
  await runner.runAll((job) => change.deploymentFails === true && job === 'deploy-staging');
  if (!change.deploymentFails) return;
  clock.pass(20 * 60);
  await actOnJob(context, maintainer, { name: 'deploy-staging', status: 'failed', action: 'retry' });
  await runner.runAll();
}

/** Tags `main` and plays the job that deploys to production, where there is one. */
async function release(context: ProjectContext, { reviewer }: ChangeData, tag: string): Promise<void> {
  const { workTree, runner, clock } = context;
  const maintainer = chooseMaintainer(context, reviewer);
  await workTree.pushTag(tag, `Release ${tag}`, clock.now(), maintainer);
  await runner.runAll();
  await actOnJob(context, maintainer, { name: 'deploy-production', status: 'manual', action: 'play' });
  await runner.runAll();
}

interface JobAction {
  readonly name: string;
  readonly status: string;
  readonly action: 'play' | 'retry';
}

/** Acts on the job with this name and status in the latest pipeline of `main`, if there is one. */
async function actOnJob({ at }: ProjectContext, person: Colleague, { name, status, action }: JobAction): Promise<void> {
  const [pipeline] = await person.request('GET', `${at}/pipelines?ref=main&per_page=1`);
  const jobs: readonly JobOfPipeline[] = await person.request('GET', `${at}/pipelines/${pipeline.id}/jobs`);
  const foundJob = jobs.find((job) => job.name === name && job.status === status);
  if (foundJob !== undefined) await person.request('POST', `${at}/jobs/${foundJob.id}/${action}`);
}

interface JobOfPipeline {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}
