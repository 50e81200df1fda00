/**
 * The pages of the web application by name: the address, the API path of the same data, and what the page shows. `:name` is one
 * segment, `*name` are several. The server serves the application at these addresses, so this module imports nothing. The first
 * address that matches counts.
 */
export const ADDRESSES = {
  home: { path: '/', api: '/projects', shows: 'what waits for the user' },
  explore: { path: '/explore', api: '/projects', shows: 'all projects' },
  tree: { path: '/*project/-/tree/*ref_path', api: '/projects/:project/repository/tree', shows: 'a directory' },
  file: { path: '/*project/-/blob/*ref_file', api: '/projects/:project/repository/tree', shows: 'a file' },
  editFile: {
    path: '/*project/-/edit/*ref_file',
    api: '/projects/:project/repository/tree',
    shows: 'the form for a file',
  },
  newFile: {
    path: '/*project/-/new/*ref_path',
    api: '/projects/:project/repository/tree',
    shows: 'the form for new files',
  },
  blame: { path: '/*project/-/blame/*ref_file', api: '/projects/:project/repository/tree', shows: 'a blamed file' },
  commits: { path: '/*project/-/commits/*ref', api: '/projects/:project/repository/commits', shows: 'commits' },
  commit: { path: '/*project/-/commit/:sha', api: '/projects/:project/repository/commits/:sha', shows: 'a commit' },
  compare: {
    path: '/*project/-/compare/*range',
    api: '/projects/:project/repository/compare',
    shows: 'a comparison',
  },
  newMergeRequest: {
    path: '/*project/-/merge_requests/new',
    api: '/projects/:project/merge_requests',
    shows: 'a new merge request',
  },
  mergeRequestDiffs: {
    path: '/*project/-/merge_requests/:merge_request_iid/diffs',
    api: '/projects/:project/merge_requests/:merge_request_iid/diffs',
    shows: "a merge request's changes",
  },
  mergeRequestCommits: {
    path: '/*project/-/merge_requests/:merge_request_iid/commits',
    api: '/projects/:project/merge_requests/:merge_request_iid/commits',
    shows: "a merge request's commits",
  },
  mergeRequestPipelines: {
    path: '/*project/-/merge_requests/:merge_request_iid/pipelines',
    api: '/projects/:project/merge_requests/:merge_request_iid/pipelines',
    shows: "a merge request's pipelines",
  },
  mergeRequest: {
    path: '/*project/-/merge_requests/:merge_request_iid',
    api: '/projects/:project/merge_requests/:merge_request_iid',
    shows: 'a merge request',
  },
  mergeRequests: {
    path: '/*project/-/merge_requests',
    api: '/projects/:project/merge_requests',
    shows: 'merge requests',
  },
  groupMergeRequests: {
    path: '/groups/*group/-/merge_requests',
    api: '/groups/:group/merge_requests',
    shows: "a group's merge requests",
  },
  branches: { path: '/*project/-/branches', api: '/projects/:project/repository/branches', shows: 'branches' },
  tags: { path: '/*project/-/tags', api: '/projects/:project/repository/tags', shows: 'tags' },
  projectSettings: {
    path: '/*project/-/settings',
    api: '/projects/:project',
    shows: 'the settings of a project',
  },
  projectMembers: {
    path: '/*project/-/project_members',
    api: '/projects/:project/members',
    shows: 'the members of a project',
  },
  groupSettings: { path: '/groups/*group/-/edit', api: '/groups/:group', shows: 'the settings of a group' },
  groupMembers: {
    path: '/groups/*group/-/group_members',
    api: '/groups/:group/members',
    shows: 'the members of a group',
  },
  newProject: { path: '/projects/new', api: '/projects', shows: 'a new project' },
  todos: { path: '/dashboard/todos', api: '/todos', shows: 'the to-do list' },
  newIssue: { path: '/*project/-/issues/new', api: '/projects/:project/issues', shows: 'a new issue' },
  issue: { path: '/*project/-/issues/:issue_iid', api: '/projects/:project/issues/:issue_iid', shows: 'an issue' },
  issues: { path: '/*project/-/issues', api: '/projects/:project/issues', shows: 'the issues of a project' },
  labels: { path: '/*project/-/labels', api: '/projects/:project/labels', shows: 'the labels of a project' },
  groupLabels: { path: '/groups/*group/-/labels', api: '/groups/:group/labels', shows: 'the labels of a group' },
  milestones: {
    path: '/*project/-/milestones',
    api: '/projects/:project/milestones',
    shows: 'the milestones of a project',
  },
  milestone: {
    path: '/*project/-/milestones/:milestone_iid',
    api: '/projects/:project/milestones?iids[]=:milestone_iid',
    shows: 'a milestone of a project',
  },
  groupMilestones: {
    path: '/groups/*group/-/milestones',
    api: '/groups/:group/milestones',
    shows: 'the milestones of a group',
  },
  groupMilestone: {
    path: '/groups/*group/-/milestones/:milestone_iid',
    api: '/groups/:group/milestones?iids[]=:milestone_iid',
    shows: 'a milestone of a group',
  },
  groupIssues: { path: '/groups/*group/-/issues', api: '/groups/:group/issues', shows: 'the issues of a group' },
  accountProfile: { path: '/-/user_settings/profile', api: '/user', shows: 'the own profile' },
  accountPassword: { path: '/-/user_settings/password', api: '/user', shows: 'the form for another password' },
  accountSessions: {
    path: '/-/user_settings/active_sessions',
    api: '/user/sessions',
    shows: 'the own sessions',
  },
  accountTokens: {
    path: '/-/user_settings/personal_access_tokens',
    api: '/personal_access_tokens',
    shows: 'the own access tokens',
  },
  accountEmails: { path: '/-/user_settings/emails', api: '/user/emails', shows: 'the own e-mail addresses' },
  accountNotifications: {
    path: '/-/user_settings/notifications',
    api: '/notification_settings',
    shows: 'the own notification settings',
  },
  iterations: {
    path: '/groups/*group/-/iterations',
    api: '/groups/:group/iterations',
    shows: 'the iterations of a group',
  },
  iteration: {
    path: '/groups/*group/-/iterations/:iteration_id',
    api: '/groups/:group/iterations/:iteration_id',
    shows: 'an iteration',
  },
  epics: { path: '/groups/*group/-/epics', api: '/groups/:group/epics', shows: 'the epics of a group' },
  epic: { path: '/groups/*group/-/epics/:epic_iid', api: '/groups/:group/epics/:epic_iid', shows: 'an epic' },
  // A group may be called `new`.
  newGroup: { path: '/-/groups/new', api: '/groups', shows: 'a new group' },
  groupVariables: { path: '/groups/*group/-/variables', api: '/groups/:group/variables', shows: 'CI/CD variables' },
  group: { path: '/groups/*group', api: '/groups/:group', shows: 'a group' },
  user: { path: '/:username', api: '/users?username=:username', shows: 'a user' },
  pipelines: { path: '/*project/-/pipelines', api: '/projects/:project/pipelines', shows: 'pipelines' },
  newPipeline: {
    path: '/*project/-/pipelines/new',
    api: '/projects/:project/pipelines',
    shows: 'how to run a pipeline',
  },
  pipeline: {
    path: '/*project/-/pipelines/:pipeline_id',
    api: '/projects/:project/pipelines/:pipeline_id',
    shows: 'a pipeline',
  },
  jobs: { path: '/*project/-/jobs', api: '/projects/:project/jobs', shows: 'jobs' },
  job: { path: '/*project/-/jobs/:job_id', api: '/projects/:project/jobs/:job_id', shows: 'a job' },
  schedules: {
    path: '/*project/-/pipeline_schedules',
    api: '/projects/:project/pipeline_schedules',
    shows: 'pipeline schedules',
  },
  schedule: {
    path: '/*project/-/pipeline_schedules/:pipeline_schedule_id',
    api: '/projects/:project/pipeline_schedules/:pipeline_schedule_id',
    shows: 'a pipeline schedule',
  },
  ciLint: { path: '/*project/-/ci/lint', api: '/projects/:project/ci/lint', shows: 'the check of CI files' },
  variables: { path: '/*project/-/variables', api: '/projects/:project/variables', shows: 'CI/CD variables' },
  runners: { path: '/*project/-/runners', api: '/projects/:project/runners', shows: 'runners' },
  triggers: { path: '/*project/-/triggers', api: '/projects/:project/triggers', shows: 'pipeline trigger tokens' },
  project: { path: '/*project', api: '/projects/:project', shows: 'a project' },
} as const satisfies Readonly<Record<string, PageAddress>>;

interface PageAddress {
  readonly path: string;
  /** The path below /api/v4. */
  readonly api: string;
  /** Completes "the page of ...". */
  readonly shows: string;
}

export type PageName = keyof typeof ADDRESSES;

/** The values of the parameters in the address of a page. */
export type AddressValues = Readonly<Record<string, string>>;

interface AddressMatch {
  readonly name: PageName;
  readonly values: AddressValues;
}

/**
 * First segments of addresses that belong to the server or to pages that do not exist yet, so no project or user has such a
 * name.
 */
export const RESERVED_SEGMENTS: readonly string[] =
  '- .well-known admin api assets dashboard favicon.ico files groups help import jwt login oauth profile projects public robots.txt s search snippets unsubscribe uploads users v2'.split(
    ' ',
  );

/** Returns the page at a path without the base path of the server; null if there is none. Several slashes count as one. */
export function matchAddress(path: string): AddressMatch | null {
  const collapsedPath = path.replace(/\/{2,}/g, '/');
  for (const { name, pattern } of PATTERNS) {
    const match = pattern.exec(collapsedPath);
    if (match === null) continue;
    const values = decodeValues(match.groups ?? {});
    if (values !== null && [values.project, values.group, values.username].every(canBeNamespace))
      return { name, values };
  }
  return null;
}

/** Returns the path of a page; values are encoded. */
export function toPath(name: PageName, values: AddressValues = {}): string {
  return fill(ADDRESSES[name].path, values);
}

/** Returns the path below /api/v4 of the data that a page shows. */
export function toApiPath(name: PageName, values: AddressValues): string {
  return fill(ADDRESSES[name].api, values);
}

function fill(path: string, values: AddressValues): string {
  return path.replace(/([:*])(\w+)/g, (_all, kind: string, key: string) => {
    const segments = kind === '*' ? (values[key] ?? '').split('/') : [values[key] ?? ''];
    return segments.map(encodeURIComponent).join('/');
  });
}

/** A project has a namespace, so at least two segments; the first `/-/` ends its path. */
const PROJECT = '(?<project>(?!-/)[^/]+(?:/(?!-(?:/|$))[^/]+)+)';

/** A group may be at the top level. */
const GROUP = '(?<group>(?!-(?:/|$))[^/]+(?:/(?!-(?:/|$))[^/]+)*)';

function toPattern(path: string): RegExp {
  const source = path.replace(/([:*])(\w+)/g, (_all, kind: string, key: string) => {
    if (key === 'project') return PROJECT;
    if (key === 'group') return GROUP;
    return kind === '*' ? `(?<${key}>.+?)` : `(?<${key}>[^/]+)`;
  });
  return new RegExp(`^${source}/?$`);
}

const PATTERNS = (Object.keys(ADDRESSES) as PageName[]).map((name) => ({
  name,
  pattern: toPattern(ADDRESSES[name].path),
}));

/** Segments that no path has. With an encoded slash, `/%2Fhost/a`, a link to the path would lead to another server. */
const IMPOSSIBLE_SEGMENTS = ['', '.', '..'];

/** Returns whether the decoded path of a project, group or user is one that may exist. */
function canBeNamespace(path: string | undefined): boolean {
  if (path === undefined) return true;
  const segments = path.split('/');
  return !segments.some((segment) => IMPOSSIBLE_SEGMENTS.includes(segment)) && !isReserved(segments[0]!);
}

const isReserved = (segment: string): boolean => RESERVED_SEGMENTS.includes(segment.toLowerCase());

function decodeValues(groups: AddressValues): AddressValues | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}
