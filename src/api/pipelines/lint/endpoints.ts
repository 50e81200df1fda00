import { resolveRevision } from '#git/refs/revision.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { describe, mutuallyExclusive, optional, required } from '#http/parameters/declarations.ts';
import { limitedText, refName } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { fail } from '#runtime/failure.ts';
import { MAX_FILE_LENGTH } from '../ci-file/index.ts';
import { LintResult } from './entities.ts';
import { lintFile } from './lint.ts';

// CI lint (contract/runners.md §4.9).

const dryRun = describe(
  optional(boolean, false),
  'Simulates a push by the caller, with all rules and permissions, instead of checking only the file.',
);
const includeJobs = describe(
  optional(boolean, false),
  'Adds `jobs`: the jobs of the file or, with `dry_run`, those that the push would create.',
);

export const getCiLint = endpoint({
  get: '/projects/:id/ci/lint',
  summary: 'Lint the CI configuration of a project',
  description:
    'Checks the CI file of a commit as pipeline creation does, and stores nothing. `valid` is false if there is an error; `errors` has the first one. `merged_yaml` is the file with its includes and `extends` resolved. Browser sessions get 401.',
  access: inProjectAllowingAnonymous('read_code').require(({ caller }) => {
    // API tokens and anonymous callers pass; browser sessions do not.
    if (caller.sessionDigest !== undefined) throw unauthorized('This endpoint requires an API authentication');
  }),
  params: {
    sha: describe(optional(refName), 'Deprecated: use `content_ref`.'),
    content_ref: describe(
      optional(refName),
      'Commit, branch or tag at which the CI file is read; absent: the default branch.',
    ),
    dry_run: dryRun,
    ref: describe(optional(refName), 'Deprecated: use `dry_run_ref`.'),
    dry_run_ref: describe(
      optional(refName),
      'Branch or tag whose push `dry_run` simulates; absent: the default branch.',
    ),
    include_jobs: includeJobs,
  },
  rules: [mutuallyExclusive('sha', 'content_ref'), mutuallyExclusive('ref', 'dry_run_ref')],
  errors: { emptyRepository: [404, '404 Repository Not Found'], noCommit: [404, '404 Commit Not Found'] },
  response: ok(LintResult),
  async handle({ project, caller, params, base, request }, services) {
    if (project.empty) return fail('emptyRepository');
    const revision = params.content_ref ?? params.sha ?? project.default_branch;
    const sha = await resolveRevision(services.git, getRepository(services.git, project), revision);
    if (sha === null) return fail('noCommit');
    const ref = params.dry_run_ref ?? params.ref ?? project.default_branch;
    return lintFile(services, caller, project, {
      sha,
      dryRunRef: params.dry_run ? ref : null,
      includeJobs: params.include_jobs ?? false,
      baseUrl: base.url,
      client: request,
    });
  },
});

export const createCiLint = endpoint({
  post: '/projects/:id/ci/lint',
  summary: 'Lint CI configuration content',
  description:
    'Checks `content` in place of the CI file, and stores nothing. Includes are read from the head of the default branch.',
  access: inProject('create_pipeline'),
  params: {
    // UTF-8 uses up to four bytes per character.
    content: required(limitedText(MAX_FILE_LENGTH * 4)),
    dry_run: dryRun,
    // Clients send an empty value for none.
    ref: describe(
      optional(absentIfBlank(refName)),
      'Branch or tag whose push `dry_run` simulates; absent: the default branch.',
    ),
    include_jobs: includeJobs,
  },
  response: ok(LintResult),
  async handle({ project, caller, params, base, request }, services) {
    const { git } = services;
    const sha = await resolveRevision(git, getRepository(git, project), project.default_branch);
    return lintFile(services, caller, project, {
      sha,
      content: params.content,
      dryRunRef: params.dry_run ? (params.ref ?? project.default_branch) : null,
      includeJobs: params.include_jobs ?? false,
      baseUrl: base.url,
      client: request,
    });
  },
});
