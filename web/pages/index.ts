// Written by `npm run api`.
import type { PageName } from '../addresses.ts';
import type { Page } from '../page.ts';
import { accountEmails } from './account/emails.tsx';
import { accountNotifications } from './account/notifications.tsx';
import { accountPassword } from './account/password.tsx';
import { accountProfile } from './account/profile.tsx';
import { accountSessions } from './account/sessions.tsx';
import { accountTokens } from './account/tokens.tsx';
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
import { groupMergeRequests } from './merge-requests/group-merge-requests.tsx';
import { mergeRequest } from './merge-requests/merge-request.tsx';
import { mergeRequestCommits } from './merge-requests/merge-request-commits.tsx';
import { mergeRequestDiffs } from './merge-requests/merge-request-diffs.tsx';
import { mergeRequestPipelines } from './merge-requests/merge-request-pipelines.tsx';
import { mergeRequests } from './merge-requests/merge-requests.tsx';
import { newMergeRequest } from './merge-requests/new-merge-request.tsx';
import { group } from './namespaces/group.tsx';
import { groupMembers } from './namespaces/group-members.tsx';
import { newGroup } from './namespaces/new-group.tsx';
import { newProject } from './namespaces/new-project.tsx';
import { projectMembers } from './namespaces/project-members.tsx';
import { user } from './namespaces/user.tsx';
import { ciLint } from './pipelines/ci-lint.tsx';
import { groupVariables } from './pipelines/group-variables.tsx';
import { job } from './pipelines/job.tsx';
import { jobs } from './pipelines/jobs.tsx';
import { newPipeline } from './pipelines/new-pipeline.tsx';
import { pipeline } from './pipelines/pipeline.tsx';
import { pipelines } from './pipelines/pipelines.tsx';
import { runners } from './pipelines/runners.tsx';
import { schedule } from './pipelines/schedule.tsx';
import { schedules } from './pipelines/schedules.tsx';
import { triggers } from './pipelines/triggers.tsx';
import { variables } from './pipelines/variables.tsx';
import { groupIssues } from './planning/group-issues.tsx';
import { groupLabels } from './planning/group-labels.tsx';
import { groupMilestone } from './planning/group-milestone.tsx';
import { groupMilestones } from './planning/group-milestones.tsx';
import { issue } from './planning/issue.tsx';
import { issues } from './planning/issues.tsx';
import { labels } from './planning/labels.tsx';
import { milestone } from './planning/milestone.tsx';
import { milestones } from './planning/milestones.tsx';
import { newIssue } from './planning/new-issue.tsx';

/** All pages, by name. */
export const PAGES: Readonly<Record<PageName, Page>> = {
  home,
  explore,
  tree,
  file,
  editFile,
  newFile,
  blame,
  commits,
  commit,
  compare,
  newMergeRequest,
  mergeRequestDiffs,
  mergeRequestCommits,
  mergeRequestPipelines,
  mergeRequest,
  mergeRequests,
  groupMergeRequests,
  branches,
  tags,
  projectMembers,
  groupMembers,
  newProject,
  newIssue,
  issue,
  issues,
  labels,
  groupLabels,
  milestones,
  milestone,
  groupMilestones,
  groupMilestone,
  groupIssues,
  accountProfile,
  accountPassword,
  accountSessions,
  accountTokens,
  accountEmails,
  accountNotifications,
  newGroup,
  groupVariables,
  group,
  user,
  pipelines,
  newPipeline,
  pipeline,
  jobs,
  job,
  schedules,
  schedule,
  ciLint,
  variables,
  runners,
  triggers,
  project,
};
