import { inProject } from '../../../http/access/project-access.ts';
import { created, pageOf, shown } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { ruledText } from '../../../http/parameters/texts.ts';
import { environment } from './access.ts';
import { createEnvironment as create } from './create.ts';
import { Environment, EnvironmentAlone, EnvironmentInList } from './entities.ts';
import { environmentParams, slugNotGiven } from './parameters.ts';
import { listEnvironments as list } from './store.ts';

/** Environments of a project (contract/environments.md Part 1). */

const NO_AGENT = [
  400,
  "400 Bad request - cluster agent doesn't exist or cannot be associated with this environment",
] as const;

export const listEnvironments = endpoint({
  get: '/projects/:id/environments',
  summary: 'List the environments of a project',
  access: inProject('read_environment'),
  jobToken: true,
  answer: pageOf(EnvironmentInList),
  read: (db, { project, page }) => list(db, project.id, page),
});

export const readEnvironment = endpoint({
  get: '/projects/:id/environments/:environment_id',
  summary: 'Read an environment',
  access: inProject('read_environment').record(environment),
  jobToken: true,
  answer: shown(EnvironmentAlone),
  read: (_db, { environment }) => environment,
});

export const createEnvironment = endpoint({
  post: '/projects/:id/environments',
  summary: 'Create an environment',
  access: inProject('create_environment'),
  jobToken: true,
  params: { name: required(ruledText(255)), ...environmentParams },
  rules: [slugNotGiven],
  refuses: { noAgent: NO_AGENT, wrong: [400, { message: '{texts}' }] },
  answer: created(Environment),
  write: (act, { project, params }) => create(act, project, params),
});
