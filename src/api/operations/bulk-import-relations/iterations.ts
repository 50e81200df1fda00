import { iterationsLockKey } from '#api/planning/iteration-cadences/index.ts';
import { importIteration } from '#api/planning/iterations/index.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { date } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { relation } from './relation.ts';
import { numbered, times, timesOf } from './shared-fields.ts';

/** Iterations of groups, of all cadences of the source in one. On free nobody has any. */
export const iterations = relation({
  name: 'iterations',
  kind: 'iteration',
  counted: true,
  list: { group: ({ id }) => `/groups/${id}/iterations?state=all&include_ancestors=false` },
  silentOn: [403, 404],
  turn: ({ place }) => iterationsLockKey(place.group!),
  fields: {
    id: numbered.id,
    iid: numbered.iid,
    title: optional(title),
    description: numbered.description,
    start_date: required(date),
    due_date: required(date),
    ...times,
  },
  async store(uow, { place }, iteration) {
    if (uow.tier === 'free') return null;
    const { iid, title: called, description, start_date, due_date } = iteration;
    const content = { title: called ?? null, description: description ?? null, start_date, due_date };
    const made = await importIteration(uow, place.group!, { iid, ...content, ...timesOf(iteration) });
    return isFailure(made) ? made : made.id;
  },
});
