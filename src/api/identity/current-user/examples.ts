import { createSignedInBrowser, csrfHeaders } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import { PASSWORD } from '#test/support/browser.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  updateCurrentUser: async (scene) => ({
    by: 'anonymous',
    params: { name: scene.name('Person'), username: scene.name('person'), bio: 'Builds stoves' },
    headers: await csrfHeaders(await createSignedInBrowser(scene)),
  }),
  updateOwnPassword: async (scene) => ({
    by: 'anonymous',
    params: { current_password: PASSWORD, password: 'amber-lantern-quarry-19' },
    headers: await csrfHeaders(await createSignedInBrowser(scene)),
  }),
};
