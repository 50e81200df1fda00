import { subscription } from '#events/event-bus.ts';
import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { forgetSetting } from './store.ts';

// What other families may use of notification settings.
export { isChosen } from './event-names.ts';
export { changeSetting, type Setting } from './store.ts';

/** Whoever is a member no more has chosen nothing there. What else a setting belongs to takes it along by its foreign key. */
const forgetLeavers = subscription({ event: 'membership-ended', inTransaction: forgetSetting });

export const notificationSettings = family({ endpoints, subscriptions: [forgetLeavers] });
