import { iterationsLockKey } from '#api/planning/iteration-cadences/index.ts';
import { importIteration } from '#api/planning/iterations/index.ts';
import { createLabel, findLabelsByTitles } from '#api/planning/labels/index.ts';
import { findMilestoneByTitle, importMilestone } from '#api/planning/milestones/index.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longDescription, shortText } from '#http/parameters/texts.ts';
import { date, integer, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';
import { dateFields, numberedFields, timestampFields, toTimestamps, toTitleAndUrl } from './shared-fields.ts';

/** Milestones of projects and groups. Later relations (issues, merge requests) find their milestone by title. */
export const milestones = declareRelation({
  name: 'milestones',
  kind: 'milestone',
  isInStats: true,
  list: {
    group: ({ id }) => `/groups/${id}/milestones`,
    project: ({ id }) => `/projects/${id}/milestones`,
  },
  fields: { ...numberedFields, ...timestampFields, ...dateFields, state: required(oneOf('active', 'closed')) },
  toTitleAndUrl,
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

/** Labels of projects and groups. Later relations (issues, merge requests, epics) find their labels by title. */
export const labels = declareRelation({
  name: 'labels',
  kind: 'label',
  isInStats: true,
  list: {
    group: ({ id }) => `/groups/${id}/labels?only_group_labels=true&include_ancestor_groups=false`,
    project: ({ id }) => `/projects/${id}/labels?include_ancestor_groups=false`,
  },
  fields: {
    id: required(integer),
    name: required(domainValidatedText(255)),
    color: required(domainValidatedText(255)),
    description: optional(longDescription),
  },
  async store(uow, { destination }, { name, color, description }) {
    const label = await createLabel(uow, destination, { title: name, color, description: description ?? null });
    if (!isFailure(label)) return label.id;
    // If an ancestor group already has this label, that label is used.
    const [existingLabel] =
      label.code === 'exists'
        ? await findLabelsByTitles(uow, await ancestorsAndSelf(uow, destination), [name.trim()])
        : [];
    return existingLabel?.id ?? label;
  },
});

/** Iterations of groups. All cadences of the source become one cadence. The free tier has no iterations. */
export const iterations = declareRelation({
  name: 'iterations',
  kind: 'iteration',
  isInStats: true,
  list: { group: ({ id }) => `/groups/${id}/iterations?state=all&include_ancestors=false` },
  unavailableStatuses: [403, 404],
  lock: ({ destination }) => iterationsLockKey(destination.group!),
  fields: {
    id: numberedFields.id,
    iid: numberedFields.iid,
    title: optional(shortText),
    description: numberedFields.description,
    start_date: required(date),
    due_date: required(date),
    ...timestampFields,
  },
  async store(uow, { destination }, iteration) {
    if (uow.tier === 'free') return null;
    const { iid, title: iterationTitle, description, start_date, due_date } = iteration;
    const content = { title: iterationTitle ?? null, description: description ?? null, start_date, due_date };
    const result = await importIteration(uow, destination.group!, { iid, ...content, ...toTimestamps(iteration) });
    return isFailure(result) ? result : result.id;
  },
});
