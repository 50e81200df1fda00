import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';

/** The commit that the path names: a SHA, branch, tag or anything else that leads to one. */
export const namedCommit = {
  name: 'commit',
  params: { sha: required(refName) },
  async load({ params, services: { git } }: AccessCall<{ readonly sha: string }>, { project }: { project: Placed }) {
    const repository = repositoryOf(git, project);
    const id = await resolveRevision(git, repository, params.sha);
    return id === null ? null : readCommit(git, repository, id);
  },
  notFound: () => notFound('Commit'),
} as const;
