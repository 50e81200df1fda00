import { createLabel, findLabelsByTitles } from '#api/planning/labels/index.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longDescription } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';

/** Labels of projects and groups. Later relations (issues, merge requests, epics) find their labels by title. */
export const labels = declareRelation({
  name: 'labels',
  kind: 'label',
  inStats: true,
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
