import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { insertTopic, type TopicContent, type TopicRow, updateTopicRow } from './store.ts';
import { validateTopic } from './validation.ts';

/** Creates a topic without projects. */
export async function createTopic(uow: UnitOfWork, input: TopicContent): Promise<TopicRow | Failure<'invalid'>> {
  const content = { ...input, name: input.name.trim() };
  const errors = validateTopic(content);
  return errors === null ? insertTopic(uow, content) : invalid(errors);
}

/** Changes the values that the input has; the projects of the topic get its new name. */
export async function updateTopic(
  uow: UnitOfWork,
  topic: TopicRow,
  input: { readonly [Name in keyof TopicContent]?: string | null | undefined },
): Promise<TopicRow | Failure<'invalid' | 'notFound'>> {
  const content = {
    name: (input.name ?? topic.name).trim(),
    title: input.title ?? topic.title,
    description: input.description === undefined ? topic.description : input.description,
  };
  const errors = validateTopic(content);
  if (errors !== null) return invalid(errors);
  return (await updateTopicRow(uow, topic.id, content)) ?? fail('notFound');
}
