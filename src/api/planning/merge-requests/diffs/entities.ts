import { Type } from 'typebox';
import { Diff } from '#api/code/commits/index.ts';
import type { MergeRequest as MergeRequestOfCaller } from '#authorization/merge-requests.ts';
import type { Diff as GitDiff } from '#git/diff/diff.ts';
import { entity } from '#http/endpoint/entity.ts';
import { MergeRequest } from '../entities.ts';
import { isTruncated } from '../versions/versions.ts';

export const MergeRef = entity('MergeRef', { commit_id: Type.String() });

interface MergeRequestWithDiff {
  readonly mergeRequest: MergeRequestOfCaller;
  readonly diff: GitDiff;
}

/** A merge request with the diffs of its files. */
export const MergeRequestChanges = entity('MergeRequestChanges', {
  ...MergeRequest.schema.properties,
  changes: Type.Array(Diff.schema),
  overflow: Type.Boolean(),
}).from(
  async (rows: readonly MergeRequestWithDiff[], to) => {
    const shapes = await MergeRequest.serializeAll(
      rows.map(({ mergeRequest }) => mergeRequest),
      to,
    );
    return new Map(shapes.map((shape) => [shape.id, shape]));
  },
  ({ mergeRequest, diff }, to, relations) => ({
    ...relations.get(mergeRequest.id)!,
    changes: diff.files.map((file) => Diff.serialize(file, to)),
    overflow: isTruncated(diff),
  }),
);
