import { iterationsLockKey } from '#api/planning/iteration-cadences/index.ts';
import { importIteration } from '#api/planning/iterations/index.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { date } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';
import { numberedFields, timestampFields, toTimestamps } from './shared-fields.ts';

/** Iterations of groups. All cadences of the source become one cadence. The free tier has no iterations. */
export const iterations = declareRelation({
  name: 'iterations',
  kind: 'iteration',
  inStats: true,
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
