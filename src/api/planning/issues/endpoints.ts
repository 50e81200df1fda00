import { inProject } from '../../../http/access/project-access.ts';
import { created, shown } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { description, title } from '../../../http/parameters/texts.ts';
import { boolean, oneOf } from '../../../http/parameters/types.ts';
import { INVALID } from '../../../http/refusals/texts.ts';
import { readingIssue } from './access.ts';
import { createIssue as create } from './create.ts';
import { Issue } from './entities.ts';

export const readIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid',
  summary: 'Read an issue',
  access: readingIssue(),
  answer: shown(Issue),
  read: (_db, { issue }) => issue,
});

export const createIssue = endpoint({
  post: '/projects/:id/issues',
  summary: 'File an issue',
  access: inProject('create_issue'),
  params: {
    title: required(title),
    description: optional(description),
    confidential: optional(boolean, false),
    issue_type: optional(oneOf('issue', 'incident', 'task', 'test_case'), 'issue'),
  },
  turn: ({ project }) => `issues of project ${project.id}`,
  refuses: { invalid: INVALID },
  records: ['created Issue'],
  answer: created(Issue),
  write: (act, { project, params }) =>
    create(act, project, { ...params, description: params.description ?? null, issueType: params.issue_type }),
});
