import { subscription } from '../../../facts/bus.ts';
import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetSetting } from './store.ts';

// What other families may use of notification settings.
export { isChosen } from './events.ts';
export { changeSetting, type Setting } from './store.ts';

/** Whoever is a member no more has chosen nothing there. What else a setting belongs to takes it along by its foreign key. */
const forgetLeavers = subscription({ fact: 'membership-ended', inTransaction: forgetSetting });

export const notificationSettings = family({ endpoints, subscriptions: [forgetLeavers] });
