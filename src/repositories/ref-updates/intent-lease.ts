import type { RefServices } from '../services.ts';
import { extendIntentLease, type Intent, LEASE_MS } from './intents.ts';

/** Milliseconds between two extensions; two of three may fail. */
const HEARTBEAT_MS = LEASE_MS / 3;

/**
 * Extends the lease of an intent regularly while git moves its refs, and returns a function that stops this. Without a lease
 * another process would complete the intent early, and later moves would cause no events. No extension follows once the
 * promise of that function has resolved.
 */
export function keepIntentLease(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  { id }: Intent,
): () => Promise<void> {
  let lastExtension = Promise.resolve();
  const extend = () => {
    lastExtension = database
      .transaction((tx) => extendIntentLease(tx, id), { exemptFromLimit: true })
      .catch((error: unknown) => git.log('ref_intent_not_prolonged', { intent: id, err: error }));
  };
  const timer = setInterval(extend, HEARTBEAT_MS);
  return () => {
    clearInterval(timer);
    return lastExtension;
  };
}
