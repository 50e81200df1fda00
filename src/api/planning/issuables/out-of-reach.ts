import { sql } from 'kysely';
import { itselfAndAbove, namespacesInside, projectsInside } from '../../../access/closure.ts';
import { isAmong } from '../../../database/dialect.ts';
import type { Act } from '../../../facts/act.ts';
import { subscription } from '../../../facts/bus.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '../../../facts/pieces.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { EPICS, ISSUES, type LabelledKind, MERGE_REQUESTS } from './kind.ts';

/** Things of what hangs elsewhere now lose labels and milestones of groups that are not above them any more. */
export const loseOutOfReach = subscription({
  fact: 'transferred',
  afterwards: {
    kind: 'lose_labels_and_milestones_out_of_reach',
    async handle({ database, acting }: Pick<Rooms, 'database' | 'acting'>, { type, id }) {
      const { reader } = database;
      const projects = type === 'project' ? [{ id }] : await projectsInside(reader, id).execute();
      const groups = type === 'project' ? [] : await namespacesInside(reader, id).execute();
      const places = [
        ...projects.flatMap((project) => [ISSUES, MERGE_REQUESTS].map((kind) => ({ kind, placeId: project.id }))),
        ...groups.map((group) => ({ kind: EPICS, placeId: group.descendant_id })),
      ];
      for (const place of places) {
        let after = 0;
        await inPieces(acting, NOBODY, {
          ask: nothingToAsk,
          async piece(act) {
            const last = await loseInSome(act, place, after);
            if (last !== null) after = last;
            return last === null ? undefined : MORE;
          },
        });
      }
    },
  },
});

/** The things of one kind in a project, epics in a group. */
interface Things {
  readonly kind: LabelledKind;
  readonly placeId: number;
}

/** Some of them, those behind the number `after`; the last one's number, null when there are no more. index: issues_by_iid, merge_requests_by_iid, epics_by_iid */
async function loseInSome(act: Act, { kind, placeId }: Things, after: number): Promise<number | null> {
  const things = sql.table(kind.things);
  const place = sql.ref(kind === EPICS ? 'group_id' : 'project_id');
  const some = sql<{ id: number; iid: number }>`select id, iid from ${things}
    where ${place} = ${placeId} and iid > ${after} order by iid limit ${PIECE}`;
  const { rows } = await some.execute(act);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const ids = rows.map(({ id }) => id);
  const above = itselfAndAbove(act, await namespaceOf(act, { kind, placeId })).select('namespaces.id');
  // index: labels primary key, milestones primary key
  await sql`delete from ${sql.table(kind.labels)} where ${isAmong(act, sql.ref<number>(kind.id), ids)} and exists
    (select 1 from labels where labels.id = label_id and labels.group_id is not null
      and labels.group_id not in (${above}))`.execute(act);
  if (kind !== EPICS) {
    await sql`update ${things} set milestone_id = null where ${isAmong(act, sql<number>`id`, ids)} and exists
      (select 1 from milestones where milestones.id = milestone_id and milestones.group_id is not null
        and milestones.group_id not in (${above}))`.execute(act);
  }
  return last.iid;
}

/** 0: the project has gone meanwhile. index: projects primary key */
async function namespaceOf(act: Act, { kind, placeId }: Things): Promise<number> {
  if (kind === EPICS) return placeId;
  const found = await act.selectFrom('projects').select('namespace_id').where('id', '=', placeId).executeTakeFirst();
  return found?.namespace_id ?? 0;
}
