// Written by `npm run api`.
import type { PageName } from '../addresses.ts';
import type { Page } from '../page.ts';
import { blame } from './code/blame.tsx';
import { branches } from './code/branches.tsx';
import { commit } from './code/commit.tsx';
import { commits } from './code/commits.tsx';
import { compare } from './code/compare.tsx';
import { editFile } from './code/edit-file.tsx';
import { explore } from './code/explore.tsx';
import { file } from './code/file.tsx';
import { home } from './code/home.tsx';
import { newFile } from './code/new-file.tsx';
import { project } from './code/project.tsx';
import { tags } from './code/tags.tsx';
import { tree } from './code/tree.tsx';
import { group } from './namespaces/group.tsx';
import { groupMembers } from './namespaces/group-members.tsx';
import { groupSettings } from './namespaces/group-settings.tsx';
import { newGroup } from './namespaces/new-group.tsx';
import { newProject } from './namespaces/new-project.tsx';
import { projectMembers } from './namespaces/project-members.tsx';
import { projectSettings } from './namespaces/project-settings.tsx';
import { user } from './namespaces/user.tsx';

/** Returns each page by name. Some are in a second script, which the first of them loads. */
export const PAGES: Readonly<Record<PageName, () => Promise<Page>>> = {
  home: async () => home,
  explore: async () => explore,
  tree: async () => tree,
  file: async () => file,
  editFile: async () => editFile,
  newFile: async () => newFile,
  blame: async () => blame,
  commits: async () => commits,
  commit: async () => commit,
  compare: async () => compare,
  newMergeRequest: async () => (await import('./later.ts')).newMergeRequest,
  mergeRequestDiffs: async () => (await import('./later.ts')).mergeRequestDiffs,
  mergeRequestCommits: async () => (await import('./later.ts')).mergeRequestCommits,
  mergeRequestPipelines: async () => (await import('./later.ts')).mergeRequestPipelines,
  mergeRequest: async () => (await import('./later.ts')).mergeRequest,
  mergeRequests: async () => (await import('./later.ts')).mergeRequests,
  groupMergeRequests: async () => (await import('./later.ts')).groupMergeRequests,
  branches: async () => branches,
  tags: async () => tags,
  projectSettings: async () => projectSettings,
  projectMembers: async () => projectMembers,
  groupSettings: async () => groupSettings,
  groupMembers: async () => groupMembers,
  newProject: async () => newProject,
  todos: async () => (await import('./later.ts')).todos,
  newIssue: async () => (await import('./later.ts')).newIssue,
  issue: async () => (await import('./later.ts')).issue,
  issues: async () => (await import('./later.ts')).issues,
  labels: async () => (await import('./later.ts')).labels,
  groupLabels: async () => (await import('./later.ts')).groupLabels,
  milestones: async () => (await import('./later.ts')).milestones,
  milestone: async () => (await import('./later.ts')).milestone,
  groupMilestones: async () => (await import('./later.ts')).groupMilestones,
  groupMilestone: async () => (await import('./later.ts')).groupMilestone,
  groupIssues: async () => (await import('./later.ts')).groupIssues,
  accountProfile: async () => (await import('./later.ts')).accountProfile,
  accountPassword: async () => (await import('./later.ts')).accountPassword,
  accountSessions: async () => (await import('./later.ts')).accountSessions,
  accountTokens: async () => (await import('./later.ts')).accountTokens,
  accountEmails: async () => (await import('./later.ts')).accountEmails,
  accountNotifications: async () => (await import('./later.ts')).accountNotifications,
  iterations: async () => (await import('./later.ts')).iterations,
  iteration: async () => (await import('./later.ts')).iteration,
  epics: async () => (await import('./later.ts')).epics,
  epic: async () => (await import('./later.ts')).epic,
  newGroup: async () => newGroup,
  groupVariables: async () => (await import('./later.ts')).groupVariables,
  group: async () => group,
  user: async () => user,
  pipelines: async () => (await import('./later.ts')).pipelines,
  newPipeline: async () => (await import('./later.ts')).newPipeline,
  pipeline: async () => (await import('./later.ts')).pipeline,
  jobs: async () => (await import('./later.ts')).jobs,
  job: async () => (await import('./later.ts')).job,
  schedules: async () => (await import('./later.ts')).schedules,
  schedule: async () => (await import('./later.ts')).schedule,
  ciLint: async () => (await import('./later.ts')).ciLint,
  variables: async () => (await import('./later.ts')).variables,
  runners: async () => (await import('./later.ts')).runners,
  triggers: async () => (await import('./later.ts')).triggers,
  project: async () => project,
};
