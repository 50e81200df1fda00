import { cookieHeader, createSignedInBrowser, csrfHeaders } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listOwnSessions: async (scene) => ({ by: 'anonymous', headers: cookieHeader(await createSignedInBrowser(scene)) }),
  deleteOwnSession: async (scene) => {
    const visit = await createSignedInBrowser(scene);
    const [session] = (await scene.expectSuccess(visit.get('/user/sessions'))).body;
    return { by: 'anonymous', path: { id: session.id }, headers: await csrfHeaders(visit) };
  },
};
