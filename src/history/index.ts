export { type ActivityEvent, type DeedName, recordActivity } from './activity.ts';
export { type AuditEvent, changed, INSTANCE, recordAudit } from './audit.ts';
export type { AuditEventName } from './audit-names.ts';
export { commitTitle, type Push, type PushChange, type PushName, recordPushEvents } from './push.ts';
export { type HistoryMark, type HistoryName, markHistory, recordedSince } from './recorded.ts';
export { activityHorizon, removeOldActivity, removeOldActivityDaily } from './retention.ts';
export {
  forgetAuthorActivity,
  forgetProjectActivity,
  forgetSomeAuthorActivity,
  forgetTargetActivity,
} from './store.ts';
