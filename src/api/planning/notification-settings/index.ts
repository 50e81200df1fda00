import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteSettingOfFormerMember } from './store.ts';

// Public interface for other resources.
export { isEventEnabled, type UserNotificationSetting, updateSetting } from './store.ts';

/** When a membership ends: deletes the setting. Deletions of users, groups and projects cascade. */
const onMembershipEnded = defineSubscription({ event: 'membership-ended', inTransaction: deleteSettingOfFormerMember });

export const notificationSettings = resourceModule({ endpoints, subscriptions: [onMembershipEnded] });
