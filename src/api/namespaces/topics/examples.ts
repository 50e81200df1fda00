import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function newTopic({ callers, name, expectSuccess }: Scene): Promise<number> {
  const input = { name: name('topic'), title: 'A topic' };
  return (await expectSuccess(callers.administrator.post('/topics', input))).body.id;
}

/** Example of a call of an administrator on a new topic. */
const onNewTopic =
  (params?: Readonly<Record<string, unknown>>): Build =>
  async (scene) => ({ by: 'administrator', path: { id: await newTopic(scene) }, ...(params && { params }) });

export const examples: Examples<typeof endpoints> = {
  listTopics: [() => ({ by: 'anonymous' }), () => ({ by: 'anonymous', params: { search: 'topic' } })],
  createTopic: ({ name }) => ({ by: 'administrator', params: { name: name('topic'), title: 'A topic' } }),
  mergeTopics: async (scene) => {
    const [source_topic_id, target_topic_id] = [await newTopic(scene), await newTopic(scene)];
    return { by: 'administrator', params: { source_topic_id, target_topic_id } };
  },
  getTopic: async (scene) => ({ by: 'anonymous', path: { id: await newTopic(scene) } }),
  updateTopic: onNewTopic({ title: 'Another title' }),
  deleteTopic: onNewTopic(),
};
