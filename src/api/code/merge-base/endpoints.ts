import { mergeBase } from '../../../git/ancestry.ts';
import { readCommit } from '../../../git/objects.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { entity } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { arrayOf, text } from '../../../http/parameters/types.ts';
import { refused } from '../../../refused.ts';
import { projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { commitSchema as Commit, commitEntity } from '../commits/index.ts';

export const readMergeBase = endpoint({
  get: '/projects/:id/repository/merge_base',
  summary: 'The best common ancestor of branches, tags or commits',
  access: inPublicProject('read_code'),
  params: { refs: required(arrayOf(text)) },
  refuses: {
    tooFew: [400, 'Provide at least 2 refs'],
    oneUnknown: [400, 'Could not find ref: {names}'],
    someUnknown: [400, 'Could not find refs: {names}'],
    none: [404, '404 Merge Base Not Found'],
  },
  answer: entity(Commit),
  async handle({ git, project, params: { refs }, request }) {
    if (refs.length < 2) return refused('tooFew');
    const repository = repositoryOf(git, project);
    const ids = await Promise.all(refs.map((ref) => resolveRevision(git, repository, ref)));
    const unknown = refs.filter((_, place) => ids[place] === null);
    if (unknown.length > 0)
      return refused(unknown.length === 1 ? 'oneUnknown' : 'someUnknown', { names: unknown.join(', ') });
    const base = await mergeBase(
      git,
      repository,
      ids.filter((id) => id !== null),
    );
    const commit = base === null ? null : await readCommit(git, repository, base);
    return commit === null ? refused('none') : commitEntity(commit, { projectUrl: projectUrl(request, project) });
  },
});
