import { Type } from 'typebox';
import { type AccessCall, administratorAfterParameters, open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, searchExpression } from '#http/parameters/texts.ts';
import { boolean, integer, unsupportedPicture } from '#http/parameters/types.ts';
import { invalid } from '#runtime/failure.ts';
import * as changes from './changes.ts';
import type { TopicRow } from './store.ts';
import * as store from './store.ts';

/** A topic of projects (contract/everyday.md "Topics"). */
const Topic = entity('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  total_projects_count: Type.Integer(),
  organization_id: Type.Integer(),
  avatar_url: Type.Null(),
})
  .columns('id', 'name', 'title', 'description')
  .from(({ project_count }: TopicRow) => ({
    total_projects_count: project_count,
    organization_id: 1,
    avatar_url: null,
  }));

const topicResource = {
  name: 'topic',
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly id: number }>) => store.findTopic(db, params.id),
  notFound: genericNotFound,
} as const;

const topicAccess = () => administratorAfterParameters().resource(topicResource);

const nameType = domainValidatedText(255);
const contentParams = { description: optional(domainValidatedText(1024)), avatar: optional(unsupportedPicture) };
const UNIQUE_ERRORS = { topics_by_name: invalid({ name: ['has already been taken'] }) };

export const listTopics = endpoint({
  get: '/topics',
  summary: 'List topics',
  description:
    'Returns the topics that most internal and public projects have first. With `search`, exact matches of the name ' +
    'come first, then names that begin with the text, then the others. All callers see all topics.',
  access: open(),
  params: {
    search: describe(optional(searchExpression), 'Words that must all occur in the name or title.'),
    without_projects: describe(optional(boolean), 'Only topics that no project has.'),
  },
  response: page(Topic),
  read: (db, { params, page }) => store.listTopics(db, params, page),
});

export const createTopic = endpoint({
  post: '/topics',
  summary: 'Create a topic',
  description:
    'Creates a topic without projects. Its name must be unique, regardless of case. Projects also create missing ' +
    'topics: each name in their `topics` becomes a topic.',
  access: administratorAfterParameters(),
  params: { name: required(nameType), title: required(nameType), ...contentParams },
  errors: { invalid: INVALID },
  uniqueErrors: UNIQUE_ERRORS,
  response: created(Topic),
  write: (uow, { params: { name, title, description = null } }) =>
    changes.createTopic(uow, { name, title, description }),
});

export const mergeTopics = endpoint({
  post: '/topics/merge',
  summary: 'Merge a topic into another',
  description:
    'Gives all projects of the source topic the target topic, deletes the source topic and returns the target topic.',
  access: administratorAfterParameters(),
  params: {
    source_topic_id: describe(required(integer), 'Id of the topic that is deleted.'),
    target_topic_id: describe(required(integer), 'Id of the topic that gets the projects.'),
  },
  errors: {
    notFound: NOT_FOUND,
    identical: [400, 'The source topic and the target topic are identical.'],
  },
  response: created(Topic),
  handle: ({ caller, params }, { runUnitOfWork }) =>
    changes.mergeTopics(runUnitOfWork, caller, params.source_topic_id, params.target_topic_id),
});

export const getTopic = endpoint({
  get: '/topics/:id',
  summary: 'Get a topic',
  description: 'Returns the topic. `total_projects_count` counts all projects that have it, including private ones.',
  access: open().resource(topicResource),
  response: ok(Topic),
  read: (_db, { topic }) => topic,
});

export const updateTopic = endpoint({
  put: '/topics/:id',
  summary: 'Update a topic',
  description: 'Changes the sent values; absent ones stay unchanged. Projects with the topic show its new name.',
  access: topicAccess(),
  params: { name: optional(nameType), title: optional(nameType), ...contentParams },
  errors: { invalid: INVALID, notFound: NOT_FOUND },
  uniqueErrors: UNIQUE_ERRORS,
  response: ok(Topic),
  write: (uow, { topic, params }) => changes.updateTopic(uow, topic, params),
});

export const deleteTopic = endpoint({
  delete: '/topics/:id',
  summary: 'Delete a topic',
  description: 'Removes the topic from all projects and deletes it.',
  access: topicAccess(),
  lastModified: ({ topic }) => topic.updated_at,
  response: noContent,
  handle: ({ caller, topic }, { runUnitOfWork }) => changes.deleteTopicInBatches(runUnitOfWork, caller, topic.id),
});
