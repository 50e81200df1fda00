import { findSecretKey } from '#security/key-file.ts';
import { checkSecrets } from '#settings/secret-key-rotation.ts';
import { loadSecretKeyState } from '#settings/secret-key-state.ts';
import { describeKeyProblem } from '#settings/server-key.ts';
import type { Check } from './finding.ts';

/** Finds a missing or wrong secret key, else stored secrets that the key does not decrypt. */
export const secretsCheck: Check = {
  name: 'secrets',
  async *run({ config, database }) {
    const state = await loadSecretKeyState(database.reader);
    const key = await findSecretKey(config);
    const problem = state && describeKeyProblem(config, key, state);
    if (problem !== null) return yield { text: problem };
    const { unreadable } = await checkSecrets(database.reader, key === null ? [] : [key]);
    for (const { column, count, firstKey } of unreadable)
      yield {
        text: `${count} secrets in ${column} cannot be decrypted with the secret key, the first has the id ${firstKey}`,
      };
  },
};
