import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import type { TopicRow } from './store.ts';

/** contract/everyday.md "Topics". */
export const Topic = entity('Topic', {
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
