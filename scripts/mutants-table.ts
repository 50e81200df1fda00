/** A deliberate fault that a test must notice. */
export interface Mutant {
  /** The folder with the file that contains the text: files are split and merged, folders stay. */
  readonly folder: string;
  /** Occurs once in the source files of the folder. */
  readonly text: string;
  /** The fault, in place of the text. */
  readonly fault: string;
  /** The quickest test files that notice it. */
  readonly tests: readonly string[];
}

/** Faults in all areas. A mutant whose fault is invisible in every response proves nothing and does not belong here. */
export const MUTANTS: readonly Mutant[] = [
  // Authentication
  {
    folder: 'src/authentication',
    text: 'if (token === null) return identifyByAccessToken(services, digest, address);',
    fault: 'if (token === null) return UNKNOWN_TOKEN;',
    tests: ['src/authentication/credentials.test.ts'],
  },
  {
    folder: 'src/authentication',
    text: 'if (idleMs >= maxIdleMs) return null;',
    fault: '',
    tests: ['src/authentication/sessions/sessions.test.ts'],
  },
  {
    folder: 'src/authentication/sessions',
    text: "    .where('state', 'in', ALLOWED_STATES)\n",
    fault: '',
    tests: ['src/authentication/sessions/password-sign-in.test.ts'],
  },
  {
    folder: 'src/authentication',
    text: 'const MAX_FAILED_ATTEMPTS = 10;',
    fault: 'const MAX_FAILED_ATTEMPTS = 100;',
    tests: ['src/authentication/sessions/password-sign-in.test.ts'],
  },
  // Security
  {
    folder: 'src/security',
    text: 'return timingSafeEqual(computed, key) && storedHash !== null;',
    fault: 'return timingSafeEqual(computed, key) || storedHash === null;',
    tests: ['src/security/passwords.unit.test.ts'],
  },
  {
    folder: 'src/security',
    text: '  cipher.setAAD(buildAssociatedData(context));',
    fault: "  cipher.setAAD(buildAssociatedData(''));",
    tests: ['src/security/encryption.unit.test.ts'],
  },
  {
    folder: 'src/security',
    text: "open(temporaryPath, 'wx', 0o600)",
    fault: "open(temporaryPath, 'wx', 0o644)",
    tests: ['src/security/key-file.unit.test.ts'],
  },
  {
    folder: 'src/security',
    text: "  'smtp_url',\n",
    fault: '',
    tests: ['src/security/redaction.unit.test.ts'],
  },
  // Authorization
  {
    folder: 'src/authorization',
    text: "push_code: { role: DEVELOPER, features: ['repository'], unlessArchived: true }",
    fault: "push_code: { role: REPORTER, features: ['repository'], unlessArchived: true }",
    tests: ['src/authorization/abilities.unit.test.ts'],
  },
  {
    folder: 'src/authorization',
    text: "read_confidential_issue: { role: PLANNER, features: ['issues'] }",
    fault: "read_confidential_issue: { role: 0, features: ['issues'] }",
    tests: ['src/authorization/abilities.unit.test.ts'],
  },
  {
    folder: 'src/authorization',
    text: 'if (matchedRules.length === 0) return true;\n  return matchedRules.some((rule) => rule[kind].some(',
    fault: 'if (matchedRules.length === 0) return true;\n  return matchedRules.every((rule) => rule[kind].some(',
    tests: ['src/api/code/protected-branches/create.test.ts'],
  },
  {
    folder: 'src/text',
    text: 'return text.length - last.length >= start && text.endsWith(last);',
    fault: 'return text.endsWith(last);',
    tests: ['src/authorization/protected-branches/branch-rules.unit.test.ts'],
  },
  // Database
  {
    folder: 'src/database',
    text: 'return candidateNumbers.filter((number) => !laterSnapshot.inProgress.has(number));',
    fault: 'return candidateNumbers;',
    tests: ['src/database/cache/commit-tracker.unit.test.ts'],
  },
  {
    folder: 'src/database',
    text: 'if (isDelete) changedByReferences.get(table)?.forEach(visitTable);',
    fault: '',
    tests: ['src/database/cache/table-versions.unit.test.ts'],
  },
  {
    folder: 'src/database',
    text: "exec('pragma journal_mode = memory; begin exclusive')",
    fault: "exec('pragma journal_mode = memory; begin')",
    tests: ['src/database/data-directory-lock.unit.test.ts'],
  },
  {
    folder: 'src/database',
    text: 'return end === text.length || isBlank(text[end]!) ? end : null;',
    fault: 'return end;',
    tests: ['src/database/search/query-words.unit.test.ts'],
  },
  {
    folder: 'src/database',
    text: 'const precedingCount = (page - 1) * perPage;',
    fault: 'const precedingCount = page * perPage;',
    tests: ['src/database/page.test.ts'],
  },
  // Rate limits
  {
    folder: 'src/rate-limits',
    text: 'return count > limit.limit ?',
    fault: 'return count >= limit.limit ?',
    tests: ['src/rate-limits/application-limit.test.ts'],
  },
  {
    folder: 'src/rate-limits',
    text: 'parsed.parts.slice(0, 4)',
    fault: 'parsed.parts',
    tests: ['src/rate-limits/concurrency-slots.unit.test.ts'],
  },
  {
    folder: 'src/rate-limits',
    text: 'if (networkTotal <= extraForSmallHolders / EXTRA_SHARES)',
    fault: 'if (networkTotal < reserved / RESERVED_SHARES)',
    tests: ['src/rate-limits/shared-budget.unit.test.ts'],
  },
  // Jobs and events
  {
    folder: 'src/jobs',
    text: 'return Math.min(3_600_000, 5_000 * 2 ** attempt);',
    fault: 'return 5_000 * 2 ** attempt;',
    tests: ['src/jobs/queue.test.ts'],
  },
  {
    folder: 'src/jobs',
    text: "            .whereRef('running.key', '=', 'due.key')\n",
    fault: "            .whereRef('running.key', '<>', 'due.key')\n",
    tests: ['src/jobs/queue.test.ts'],
  },
  {
    folder: 'src/jobs',
    text: "set((eb) => ({ process_deaths: eb('process_deaths', '+', 1) }))",
    fault: "set((eb) => ({ process_deaths: eb('process_deaths', '+', 0) }))",
    tests: ['src/jobs/queue.test.ts'],
  },
  {
    folder: 'src/events',
    text: 'while ((await (inBatches as InBatches | undefined)?.(uow, payload)) === MORE);',
    fault: 'await (inBatches as InBatches | undefined)?.(uow, payload);',
    tests: ['src/events/domain-events.test.ts'],
  },
  // Git
  {
    folder: 'src/git',
    text: '}/`.startsWith(prefix))',
    fault: '}`.startsWith(prefix))',
    tests: ['src/git/ref-names.unit.test.ts'],
  },
  {
    folder: 'src/git',
    text: "visible.slice(0, colonIndex), ' .');",
    fault: "visible.slice(0, colonIndex), ' ');",
    tests: ['src/git/trees/reserved-names.unit.test.ts'],
  },
  {
    folder: 'src/git',
    text: 'content.length > LFS_POINTER_SIZES.maxBytes',
    fault: 'content.length >= LFS_POINTER_SIZES.maxBytes',
    tests: ['src/git/objects/lfs-pointer.unit.test.ts'],
  },
  {
    folder: 'src/git',
    text: 'change.oldId !== change.newId);\n  if (effectiveChanges.length === 0) return { ok: true };',
    fault: 'change.oldId === change.newId);\n  if (effectiveChanges.length === 0) return { ok: true };',
    tests: ['src/git/refs/update-refs.unit.test.ts'],
  },
  // HTTP
  {
    folder: 'src/http',
    text: 'return value < 0 ? DEFAULT_PER_PAGE : Math.min(value, MAX_PER_PAGE);',
    fault: 'return value < 0 ? DEFAULT_PER_PAGE : value;',
    tests: ['src/http/lists/pagination.unit.test.ts'],
  },
  {
    folder: 'src/http',
    text: 'hasMore: rows.length > end',
    fault: 'hasMore: rows.length >= end',
    tests: ['src/http/lists/in-memory-page.unit.test.ts'],
  },
  {
    folder: 'src/http',
    text: 'Date.parse(updatedAt) > unmodifiedSince',
    fault: 'Date.parse(updatedAt) >= unmodifiedSince',
    tests: ['src/http/server/pipeline/precondition.unit.test.ts'],
  },
  {
    folder: 'src/http',
    text: 'if (body.size + chunk.length > limit) throw bodyTooLarge();',
    fault: '',
    tests: ['src/http/request/body.unit.test.ts'],
  },
  {
    folder: 'src/http',
    text: 'return raw.includes(NUL) ? problems.addInvalid(name) : raw.toWellFormed();',
    fault: 'return raw.toWellFormed();',
    tests: ['src/http/parameters/texts.unit.test.ts', 'src/http/parameters/types.unit.test.ts'],
  },
  // Replication, backup, blobs, mail and requests to other servers
  {
    folder: 'src/replication',
    text: "  'proxy-authorization',\n",
    fault: '',
    tests: ['src/replication/serving/proxy.unit.test.ts'],
  },
  {
    folder: 'src/replication',
    text: 'if (ownChecksum === checksum) {',
    fault: 'if (ownChecksum !== null) {',
    tests: ['src/replication/sync/sync.unit.test.ts'],
  },
  {
    folder: 'src/backup',
    text: 'position = contentStart + size + padding;',
    fault: 'position = contentStart + size;',
    tests: ['src/backup/tar.unit.test.ts'],
  },
  {
    folder: 'src/blobs',
    text: '    await rm(draft, { force: true });\n',
    fault: '',
    tests: ['src/blobs/store.unit.test.ts'],
  },
  {
    folder: 'src/outbound-http',
    text: 'if (entryPort !== null && entryPort !== port) return false;',
    fault: '',
    tests: ['src/outbound-http/addresses.unit.test.ts'],
  },
  {
    folder: 'src/outbound-http',
    text: "if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));",
    fault: '',
    tests: ['src/outbound-http/addresses.unit.test.ts'],
  },
  {
    folder: 'src/mail',
    text: '\\u202a-\\u202e\\u2066-\\u2069]/gu;',
    fault: '\\u2066-\\u2069]/gu;',
    tests: ['src/mail/header-text.unit.test.ts'],
  },
  // Areas of the API
  {
    folder: 'src/api/identity',
    text: '/^\\/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$/',
    fault: '/^\\/[\\x21-\\x5b\\x5d-\\x7e]*$/',
    tests: ['src/api/identity/sign-in/return-path.unit.test.ts'],
  },
  {
    folder: 'src/api/identity',
    text: "  'javascript:',\n",
    fault: '',
    tests: ['src/api/identity/applications/redirect-uri.unit.test.ts'],
  },
  {
    folder: 'src/domain',
    text: '!/(\\.|\\.git|\\.atom)$/i.test(path)',
    fault: '!/(\\.|\\.git|\\.atom)$/.test(path)',
    tests: ['src/domain/namespaces/name-validation.unit.test.ts'],
  },
  {
    folder: 'src/api/pipelines',
    text: 'if (readyBytes > 0) yield bytes.subarray(0, readyBytes);',
    fault: 'if (bytes.length > 0) yield bytes;',
    tests: ['src/api/pipelines/traces/mask-secrets.unit.test.ts'],
  },
  {
    folder: 'src/api/pipelines',
    text: "if (isAtSegmentStart && glob.startsWith('**/', position)) {",
    fault: "if (glob.startsWith('**/', position)) {",
    tests: ['src/api/pipelines/ci-file/expressions/globs.unit.test.ts'],
  },
  {
    folder: 'src/api/pipelines',
    text: "  if (isStale(row, now)) return 'stale';\n",
    fault: '',
    tests: ['src/api/pipelines/runners/status.unit.test.ts'],
  },
  {
    folder: 'src/api/planning',
    text: "conflict: check === 'conflict',\n    need_rebase",
    fault: 'conflict: false,\n    need_rebase',
    tests: ['src/api/planning/merge-requests/merging/mergeability.unit.test.ts'],
  },
  {
    folder: 'src/api/planning',
    text: "if (!candidate.mayRead) return { dropReason: 'unreadable' };",
    fault: '',
    tests: ['src/api/planning/mail-messages/recipients/notification-rules.unit.test.ts'],
  },
  {
    folder: 'src/api/monitoring',
    text: "['exception', name, culprit === null ? message : removeUrlDetails(culprit), platform]",
    fault: "['exception', name, message, platform]",
    tests: ['src/api/monitoring/envelopes/grouping.unit.test.ts'],
  },
  {
    folder: 'src/api/environments',
    text: 'slug.length <= MAX_LENGTH && slug === name',
    fault: 'slug.length <= MAX_LENGTH',
    tests: ['src/api/environments/environment-model/name-slug-tier.unit.test.ts'],
  },
  {
    folder: 'src/api/operations',
    text: 'prioritizedUsers.length >= MAX_CONCURRENT_FETCHES - holders.size',
    fault: 'holders.size >= MAX_CONCURRENT_FETCHES',
    tests: ['src/api/operations/bulk-import-engine/fetch-slots.unit.test.ts'],
  },
];
