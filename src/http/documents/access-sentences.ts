import { type GroupAbilityName, getAbilityRule, type ProjectAbilityName } from '#authorization/abilities.ts';
import { getRoleName } from '#domain/members/roles.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';

/**
 * Sentences about who may call an endpoint, for its description in the OpenAPI document. They derive from the label of its
 * access, so that descriptions need not repeat it.
 */

/** Labels, and parts of labels, that are not the name of an ability. */
const PHRASES: Readonly<Record<string, string>> = {
  open: 'Needs no token.',
  'open with a username': 'Needs no token if `username` is sent.',
  'open (scope=all), user': 'Needs no token with the scope `all`; other scopes are those of the signed-in user.',
  user: 'Requires a signed-in user.',
  'user (403)': 'Requires a signed-in user.',
  'user session': 'Requires the session cookie of a signed-in browser; tokens get 403.',
  admin: 'Requires an administrator.',
  'admin (late)': 'Requires an administrator.',
  'admin or site': 'Requires an administrator or the token of a replication site.',
  site: 'Requires the token of a replication site.',
  'site (disabled too)': 'Requires the token of a replication site, which may be disabled.',
  'client key': 'Requires a client key of the project.',
  'registration token': 'Requires a registration token of runners.',
  'runner token': 'Requires the authentication token of a runner.',
  'job token': 'Requires the token of a running job.',
  'job token of a user with read_job': 'Requires the token of a running job whose user may read the requested job.',
  'trigger token or job token': 'Requires a trigger token of the project, or the token of a running job.',
  'its owner': 'Requires its owner.',
  'the right to set pipeline variables': 'The caller must be allowed to set pipeline variables.',
  'may deploy there': 'The caller must be allowed to deploy to the environment.',
  'push to branch': 'The caller must be allowed to push to the branch.',
  'project:merge into branch': 'The caller must be allowed to merge into the target branch.',
  'own merge requests': 'Authors and assignees of the merge request may do this too.',
  'Developer in debug mode': 'Logs of jobs in debug mode require the role Developer.',
  'push and force push to the source branch': 'The caller must be allowed to push to the source branch, also by force.',
  'packages are on': 'Packages must be enabled in the project.',
  'push to its ref': 'The caller must be allowed to push to the branch or create the tag of the pipeline.',
  'push or merge to its ref': 'The caller must be allowed to push to the branch of the pipeline or merge into it.',
  'push to its ref, or deploy to its environment':
    'The caller must be allowed to push to the ref of the job, or to deploy to its environment.',
  cancel: 'The project may restrict who cancels pipelines.',
  'token bots only': 'Only the bots of access tokens may do this.',
  'access rule of the artifact': 'The CI file may restrict the artifacts to Developers or Maintainers.',
  'runner:read': 'Requires an administrator, or a Maintainer of a project or Owner of a group of the runner.',
  'runner:jobs': 'Requires an administrator, or a Maintainer of a project or Owner of a group of the runner.',
  'runner:update': 'Requires an administrator, or a Maintainer of a project or Owner of a group of the runner.',
  'runner:delete': 'Requires an administrator, or a Maintainer of a project or Owner of a group of the runner.',
  'project:admin_pipeline or its owner': 'Requires the owner of the schedule or the role Maintainer in the project.',
  'project:admin_pipeline or its own Developer':
    'Requires the user who started the pipeline or the role Maintainer in the project.',
  'project:change_note or resolve_note':
    'Changing the text requires the author or a Maintainer; resolving the thread requires a Developer or an author.',
  'group:change_note or resolve_note':
    'Changing the text requires the author or a Maintainer; resolving the thread requires a Developer or an author.',
  'own threads and noteables: create_note': 'Authors of the thread and of its noteable may do this too.',
  'own notes: create_note': 'Authors of the note may do this too.',
  'own awards': 'Only the own reaction can be deleted, except by administrators.',
  'own issues: update_own_issue': 'Authors and assignees may change the text and the state.',
  'own merge requests: update_own_merge_request': 'Authors and assignees may do this too.',
  'visibility: change_visibility': 'Changing the visibility requires the role Owner.',
  'in both': 'This applies to the projects of both issues.',
  public: '',
  '401': '',
  '404 before 401': '',
  'else 404': '',
};

/** Returns the sentences; `unknownPhrases` are parts of the label that the table lacks. */
export function describeAccess(endpoint: Endpoint): { text: string; unknownPhrases: readonly string[] } {
  const { access, scopes, anyScope, allowJobToken, allowSiteToken } = endpoint;
  const { sentences, unknownPhrases } = describeLabel(access.label, access.audience !== 'open');
  const isPublic = access.audience === 'open' && access.label.includes(':');
  const credentials = [
    isPublic ? 'Needs no token where the resource is public.' : '',
    anyScope ? 'Accepts tokens of every scope.' : '',
    scopes.length > 0
      ? `Also accepts tokens with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
      : '',
    allowJobToken ? 'Also accepts the token of a running job.' : '',
    allowSiteToken && !access.label.includes('site') ? 'Also accepts the token of a replication site.' : '',
  ];
  const text = [...new Set([...sentences, ...credentials])].filter((sentence) => sentence !== '').join(' ');
  return { text, unknownPhrases };
}

interface RequiredAbility {
  readonly kind: 'project' | 'group';
  readonly rule: NonNullable<ReturnType<typeof getAbilityRule>>;
}

function describeLabel(label: string, isSignedIn: boolean): { sentences: string[]; unknownPhrases: string[] } {
  const abilities: RequiredAbility[] = [];
  const sentences: string[] = [];
  const unknownPhrases: string[] = [];
  let kind = '';
  const addPhrase = (phrase: string): void => {
    const sentence = PHRASES[phrase];
    const ability = sentence === undefined ? parseAbility(phrase) : undefined;
    if (sentence !== undefined) sentences.push(sentence);
    else if (ability !== undefined) abilities.push(ability);
    else unknownPhrases.push(phrase);
  };
  const parseAbility = (phrase: string): RequiredAbility | undefined => {
    const [, prefix = kind, name = ''] = /^(?:(project|group):)?([a-z_]+)$/.exec(phrase) ?? [];
    kind = prefix;
    if (kind !== 'project' && kind !== 'group') return undefined;
    const rule = getAbilityRule(kind, name as ProjectAbilityName | GroupAbilityName);
    return rule && { kind, rule };
  };
  for (const part of label.split(' + ')) {
    if (PHRASES[part] !== undefined) addPhrase(part);
    else {
      const noteStart = part.endsWith(')') ? part.lastIndexOf(' (') : -1;
      const main = noteStart < 0 ? part : part.slice(0, noteStart);
      for (const phrase of splitPhrases(main)) addPhrase(phrase);
      if (noteStart >= 0) addPhrase(part.slice(noteStart + 2, -1));
    }
  }
  const byKind = Map.groupBy(abilities, (ability) => ability.kind);
  const roles = [...byKind].map(([kind, required]) => describeRequiredRole(kind, getStrictest(required), isSignedIn));
  return { sentences: [...roles, ...sentences], unknownPhrases };
}

/** Returns the ability that needs the highest roles. */
function getStrictest(abilities: readonly RequiredAbility[]): RequiredAbility['rule'] {
  const rank = ({ rule: { role, rolePrivate = role } }: RequiredAbility) => role * 100 + rolePrivate;
  return abilities.toSorted((a, b) => rank(b) - rank(a))[0]!.rule;
}

/** Splits at commas, except in phrases of the table that contain one. */
function splitPhrases(text: string): string[] {
  const whole = Object.keys(PHRASES).find((phrase) => phrase.includes(', ') && text.endsWith(phrase));
  if (whole === undefined) return text.split(', ');
  const sentenceStart = text.slice(0, -whole.length).replace(/, $/, '');
  return [...(sentenceStart === '' ? [] : sentenceStart.split(', ')), whole];
}

function describeRequiredRole(
  kind: RequiredAbility['kind'],
  { role, rolePrivate = role, rolePublicJobs, orExactly, allowedByVisibility }: RequiredAbility['rule'],
  isSignedIn: boolean,
): string {
  const other = orExactly === undefined ? '' : `, or the role ${getRoleName(orExactly)}`;
  if (role > 0 && !allowedByVisibility)
    return `Requires at least the role ${getRoleName(role)} in the ${kind}${other}.`;
  const everyone = `Allowed to every${isSignedIn ? ' signed-in user' : 'one'} who can see the ${kind}`;
  if (rolePrivate === 0 || allowedByVisibility) return `${everyone}.`;
  const lower = rolePublicJobs === undefined ? '' : ` (${getRoleName(rolePublicJobs)} if its jobs are public)`;
  return `${everyone}; a private one requires at least the role ${getRoleName(rolePrivate)}${lower}${other}.`;
}
