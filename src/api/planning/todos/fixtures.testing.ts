import type { Caller } from '#test/support/world.ts';

/** Returns the caller's to-do items, newest first, as `action target_type iid`. */
export async function describeTodos(caller: Caller, params: Record<string, unknown> = {}): Promise<string[]> {
  const { body } = await caller.get('/todos', params);
  return body.map(
    ({ action_name, target_type, target }: { action_name: string; target_type: string; target: { iid: number } }) =>
      `${action_name} ${target_type} ${target.iid}`,
  );
}
