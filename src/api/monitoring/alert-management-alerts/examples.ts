import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const ofProject =
  (params?: Readonly<Record<string, unknown>>): Build =>
  ({ project }) => ({ by: 'developer', path: { id: project.id }, ...(params && { params }) });

/** The same call on an alert that has just come. */
const onOne =
  (params?: Readonly<Record<string, unknown>>): Build =>
  async ({ project, newAlert }) => ({
    by: 'developer',
    path: { id: project.id, alert_iid: (await newAlert()).iid },
    ...(params && { params }),
  });

export const examples: Examples<typeof endpoints> = {
  listAlerts: ofProject(),
  countAlerts: ofProject(),
  getAlert: onOne(),
  updateAlertManagementAlert: onOne({ status: 'acknowledged' }),
  listAlertNotes: onOne(),
  createAlertNote: onOne({ body: 'Looking at it' }),
  createAlertIssue: onOne(),
};
