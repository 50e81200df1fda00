import { sql } from 'kysely';
import type { Act } from '../../../facts/act.ts';
import type { Thing } from '../../../http/access/things.ts';
import { issueThing, tellMentioned } from '../issues/index.ts';

/** What can be commented on: a kind is a line in `NOTEABLE`, and what notes do to it one in `EFFECTS`. */
export const NOTEABLE = [issueThing] as const;

/** What notes do to the thing that they are on. */
interface Effects {
  /** Still there? */
  stands(act: Act): Promise<boolean>;
  /** It has so many comments more, and was changed. */
  count(act: Act, by: 1 | -1): Promise<void>;
  /** Tells others that the text names that they are mentioned. */
  mention(act: Act, text: string): Promise<void>;
}

const EFFECTS: Readonly<Record<Thing['type'], (thing: Thing) => Effects>> = {
  Issue: (issue) => ({
    // index: issues primary key
    async stands(act) {
      const row = await act.selectFrom('issues').select('id').where('id', '=', issue.id).executeTakeFirst();
      return row !== undefined;
    },
    async count(act, by) {
      await act
        .updateTable('issues')
        .set({ user_notes_count: sql<number>`user_notes_count + ${sql.lit(by)}`, updated_at: act.now })
        .where('id', '=', issue.id)
        .execute();
    },
    mention: (act, text) => tellMentioned(act, { project: issue.project, issue }, [text]),
  }),
};

export const effectsOn = (thing: Thing): Effects => EFFECTS[thing.type](thing);
