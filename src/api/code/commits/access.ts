import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';

/** Resource: the commit in the path. */
export const commitResource = {
  name: 'commit',
  params: { sha: describe(required(refName), 'SHA, branch, tag or any other revision of git.') },
  async load(
    { params, services: { git } }: AccessCall<{ readonly sha: string }>,
    { project }: { project: LocatedRepository },
  ) {
    const repository = getRepository(git, project);
    const id = await resolveRevision(git, repository, params.sha);
    return id === null ? null : readCommit(git, repository, id);
  },
  notFound: () => notFound('Commit'),
} as const;
