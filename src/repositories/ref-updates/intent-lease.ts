import type { RefServices } from '../services.ts';
import { type Intent, LEASE_MS, prolongIntent } from './intents.ts';

/** Milliseconds: two of three may come late. */
const HEARTBEAT = LEASE_MS / 3;

/**
 * Until the function is called nobody takes this intent for left over, however long git takes to move very many refs: those
 * that move after it was settled would be told to nobody. Once its promise is kept the intent lasts no longer.
 */
export function holdIntent(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  { id }: Intent,
): () => Promise<void> {
  let prolonged = Promise.resolve();
  const prolong = () => {
    prolonged = database
      .transaction((tx) => prolongIntent(tx, id), { owed: true })
      .catch((error: unknown) => git.log('ref_intent_not_prolonged', { intent: id, err: error }));
  };
  const timer = setInterval(prolong, HEARTBEAT);
  return () => {
    clearInterval(timer);
    return prolonged;
  };
}
