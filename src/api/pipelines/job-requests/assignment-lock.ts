import type { Config } from '#config.ts';
import type { Services } from '#http/services.ts';

/**
 * The jobs that this process is about to hand out. All runners want the first of those that wait: where fifty ask at once,
 * each passes over what another has in hand, instead of waiting for its turn to hear that it has lost it. A server is
 * known by its configuration.
 */
const HANDS = new WeakMap<Config, Set<number>>();

/** Does this with the job in hand, unless another request has it there already. */
export async function withInHand<T>({ config }: Services, id: number, work: () => Promise<T>): Promise<T | 'in hand'> {
  const hand = HANDS.get(config) ?? new Set();
  HANDS.set(config, hand);
  if (hand.has(id)) return 'in hand';
  hand.add(id);
  try {
    return await work();
  } finally {
    hand.delete(id);
  }
}
