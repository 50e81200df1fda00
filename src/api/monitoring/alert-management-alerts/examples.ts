import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const forProject =
  (params?: Readonly<Record<string, unknown>>): Build =>
  ({ project }) => ({ by: 'developer', path: { id: project.id }, ...(params && { params }) });

/** Builds a call on a newly created alert. */
const forNewAlert =
  (params?: Readonly<Record<string, unknown>>): Build =>
  async ({ project, newAlert }) => ({
    by: 'developer',
    path: { id: project.id, alert_iid: (await newAlert()).iid },
    ...(params && { params }),
  });

export const examples: Examples<typeof endpoints> = {
  listAlerts: forProject(),
  countAlerts: forProject(),
  getAlert: forNewAlert(),
  updateAlertManagementAlert: forNewAlert({ status: 'acknowledged' }),
  listAlertNotes: forNewAlert(),
  createAlertNote: forNewAlert({ body: 'Looking at it' }),
  createAlertIssue: forNewAlert(),
};
