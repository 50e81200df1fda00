import { findMilestoneByTitle, importMilestone } from '#api/planning/milestones/index.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { required } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';
import { dateFields, numberedFields, timestampFields, toObjectRef, toTimestamps } from './shared-fields.ts';

/** Milestones of projects and groups. Later relations (issues, merge requests) find their milestone by title. */
export const milestones = declareRelation({
  name: 'milestones',
  kind: 'milestone',
  inStats: true,
  list: {
    group: ({ id }) => `/groups/${id}/milestones`,
    project: ({ id }) => `/projects/${id}/milestones`,
  },
  fields: { ...numberedFields, ...timestampFields, ...dateFields, state: required(oneOf('active', 'closed')) },
  toObjectRef,
  async store(uow, { destination }, milestone) {
    const { iid, title, description, state, start_date, due_date } = milestone;
    const content = {
      title,
      description: description ?? null,
      start_date: start_date ?? null,
      due_date: due_date ?? null,
    };
    const result = await importMilestone(uow, destination, { iid, ...content, state, ...toTimestamps(milestone) });
    if (!isFailure(result)) return result.id;
    // If an ancestor group already has this milestone, that milestone is used.
    return (await findMilestoneByTitle(uow, await ancestorsAndSelf(uow, destination), title.trim()))?.id ?? result;
  },
});
