import { runStatements } from '../ddl.ts';
import { activity } from './baseline/activity.ts';
import { code } from './baseline/code.ts';
import { discussions } from './baseline/discussions.ts';
import { environments } from './baseline/environments.ts';
import { identity } from './baseline/identity.ts';
import { instance } from './baseline/instance.ts';
import { mergeRequests } from './baseline/merge-requests.ts';
import { monitoring } from './baseline/monitoring.ts';
import { namespaces } from './baseline/namespaces.ts';
import { notifications } from './baseline/notifications.ts';
import { operations } from './baseline/operations.ts';
import { pipelines } from './baseline/pipelines.ts';
import { planning } from './baseline/planning.ts';
import { replication } from './baseline/replication.ts';
import type { Migration } from './migration.ts';

/**
 * The schema of version 1.0.0, by area. A table comes after the tables that it refers to. Long texts are the last columns of a
 * table: to get to the columns behind a text, SQLite reads all its pages.
 */
const AREAS = [
  instance,
  identity,
  namespaces,
  activity,
  code,
  planning,
  mergeRequests,
  discussions,
  notifications,
  pipelines,
  environments,
  monitoring,
  operations,
  replication,
];

export const migration: Migration = {
  name: '0001_baseline',
  async up(db) {
    for (const area of AREAS) await runStatements(db, area);
  },
};
