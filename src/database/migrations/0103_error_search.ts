import { makeOftenWrittenSearchable } from '../search/trigrams.ts';
import type { Migration } from './migration.ts';

/** Trigram index for names, messages and culprits of errors. */
export const migration: Migration = {
  name: '0103_error_search',
  async up(db, dialect) {
    await makeOftenWrittenSearchable(db, dialect, 'errors', ['name_key', 'message_key', 'culprit_key']);
  },
};
