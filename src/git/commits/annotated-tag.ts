import { trimEndCharacters } from '#text/trim.ts';
import type { Git } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import type { ObjectType } from '../objects/object-parser.ts';
import type { Repository } from '../repository.ts';
import { formatSigner, type Signer } from './commit.ts';

interface CreateTagObjectInput {
  /** Valid, without `refs/tags/`. */
  readonly name: string;
  readonly targetId: string;
  readonly targetType: ObjectType;
  readonly tagger: Signer;
  readonly message: string;
}

/** Writes an annotated tag object and returns its id. The object is durable when this returns; no ref moves. */
export async function writeTag(git: Git, repository: Repository, tag: CreateTagObjectInput): Promise<string> {
  const lines = [
    `object ${tag.targetId}`,
    `type ${tag.targetType}`,
    `tag ${tag.name}`,
    `tagger ${formatSigner(git, tag.tagger)}`,
    '',
    `${trimEndCharacters(tag.message.replaceAll('\0', ''), '\n')}\n`,
  ];
  return writeObject(git, repository, 'tag', Buffer.from(lines.join('\n'), 'utf8'));
}
