import { findMilestoneByTitle, importMilestone } from '#api/planning/milestones/index.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { required } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { relation } from './relation.ts';
import { dates, importProblemOf, numbered, times, timesOf } from './shared-fields.ts';

/** Milestones, of projects and groups: what issues and merge requests have is found by title afterwards. */
export const milestones = relation({
  name: 'milestones',
  kind: 'milestone',
  counted: true,
  list: {
    group: ({ id }) => `/groups/${id}/milestones`,
    project: ({ id }) => `/projects/${id}/milestones`,
  },
  fields: { ...numbered, ...times, ...dates, state: required(oneOf('active', 'closed')) },
  told: importProblemOf,
  async store(uow, { place }, milestone) {
    const { iid, title, description, state, start_date, due_date } = milestone;
    const content = {
      title,
      description: description ?? null,
      start_date: start_date ?? null,
      due_date: due_date ?? null,
    };
    const made = await importMilestone(uow, place, { iid, ...content, state, ...timesOf(milestone) });
    if (!isFailure(made)) return made.id;
    // A group above has it already: what has it means that one.
    return (await findMilestoneByTitle(uow, await ancestorsAndSelf(uow, place), title.trim()))?.id ?? made;
  },
});
