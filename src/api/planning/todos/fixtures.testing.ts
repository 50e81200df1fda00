import type { Caller } from '#test/support/world.ts';

/** What this caller has to do, the latest first, each as `action target_type iid`. */
export async function todosOf(caller: Caller, params: Record<string, unknown> = {}): Promise<string[]> {
  const { body } = await caller.get('/todos', params);
  return body.map(
    ({ action_name, target_type, target }: { action_name: string; target_type: string; target: { iid: number } }) =>
      `${action_name} ${target_type} ${target.iid}`,
  );
}
