import { createEmailConfirmationToken } from '#authentication/users/email-confirmations.ts';
import { filledForm } from '#test/examples/browser-visits.ts';
import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import { browser } from '#test/support/browser.ts';
import type * as endpoints from './endpoints.ts';

/** Returns the token of a link that confirms the new primary address of a user. */
async function newLink({ user, name, server, callers, expectSuccess }: Scene): Promise<string> {
  const { id, username } = await user();
  const address = `${name('address')}@hearth.test`;
  await expectSuccess(callers.administrator.put(`/users/${id}`, { email: address }));
  const recipient = { userId: id, username, name: username, address };
  return server.services.database.transaction((tx) => createEmailConfirmationToken(tx, recipient));
}

export const examples: Examples<typeof endpoints> = {
  getEmailConfirmationPage: async (scene) => ({
    by: 'anonymous',
    params: { confirmation_token: await newLink(scene) },
  }),
  confirmEmail: async (scene) => {
    const token = await newLink(scene);
    const visit = browser({ anonymous: scene.callers.anonymous });
    await visit.get(`//users/confirmation?confirmation_token=${token}`);
    return { by: 'anonymous', ...filledForm(visit, { confirmation_token: token }) };
  },
};
