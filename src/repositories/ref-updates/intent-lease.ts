import type { RefServices } from '../services.ts';
import { extendIntentLease, type Intent, LEASE_MS } from './intents.ts';

/** In milliseconds; two of three heartbeats may be late. */
const HEARTBEAT_MS = LEASE_MS / 3;

/**
 * Extends the lease of an intent until the returned function is called, however long git takes. Otherwise another
 * process would complete it early, and later moves would cause no events. When the returned promise resolves no further
 * extensions follow.
 */
export function keepIntentLease(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  { id }: Intent,
): () => Promise<void> {
  let prolonged = Promise.resolve();
  const prolong = () => {
    prolonged = database
      .transaction((tx) => extendIntentLease(tx, id), { exemptFromLimit: true })
      .catch((error: unknown) => git.log('ref_intent_not_prolonged', { intent: id, err: error }));
  };
  const timer = setInterval(prolong, HEARTBEAT_MS);
  return () => {
    clearInterval(timer);
    return prolonged;
  };
}
