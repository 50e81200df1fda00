import { migration as background } from './0001_background.ts';
import { migration as blobs } from './0002_blobs.ts';
import { migration as settings } from './0003_settings.ts';
import { migration as identity } from './0004_identity.ts';
import { migration as access } from './0005_access.ts';
import { migration as history } from './0006_history.ts';
import { migration as repositories } from './0007_repositories.ts';
import { migration as limits } from './0008_limits.ts';
import { migration as groups } from './0009_groups.ts';
import { migration as search } from './0010_search.ts';
import { migration as sessions } from './0011_sessions.ts';
import { migration as protectedBranchLevels } from './0012_protected_branch_levels.ts';
import { migration as limitEnds } from './0013_limit_ends.ts';
import { migration as oauth } from './0014_oauth.ts';
import { migration as tokenBots } from './0015_token_bots.ts';
import { migration as emails } from './0016_emails.ts';
import { migration as userDeletion } from './0017_user_deletion.ts';
import { migration as oauthFamilies } from './0025_oauth_families.ts';
import { migration as archived } from './0026_archived.ts';
import { migration as repositorySummaries } from './0027_repository_summaries.ts';
import { migration as stars } from './0028_stars.ts';
import { migration as groupBranchProtection } from './0029_group_branch_protection.ts';
import { migration as botNamespaces } from './0035_bot_namespaces.ts';
import { migration as userSearch } from './0036_user_search.ts';
import { migration as intentsWithoutLeases } from './0041_intents_without_leases.ts';
import { migration as iids } from './0042_iids.ts';
import { migration as labels } from './0043_labels.ts';
import { migration as milestones } from './0044_milestones.ts';
import { migration as issues } from './0045_issues.ts';
import { migration as notes } from './0046_notes.ts';
import { migration as resourceEvents } from './0047_resource_events.ts';
import { migration as notificationSettings } from './0048_notification_settings.ts';
import { migration as activityFeeds } from './0049_activity_feeds.ts';
import { migration as issueLists } from './0050_issue_lists.ts';
import { migration as mergeRequests } from './0051_merge_requests.ts';
import { migration as epics } from './0052_epics.ts';
import { migration as iterations } from './0053_iterations.ts';
import { migration as hangOns } from './0054_hang_ons.ts';
import { migration as pendingMerges } from './0055_pending_merges.ts';
import { migration as mail } from './0056_mail.ts';
import { migration as mergeRequestLists } from './0057_merge_request_lists.ts';
import { migration as epicLists } from './0058_epic_lists.ts';
import { migration as authorFeeds } from './0059_author_feeds.ts';
import { migration as labelCounts } from './0061_label_counts.ts';
import { migration as closingIids } from './0062_closing_iids.ts';
import { migration as keptHeads } from './0063_kept_heads.ts';
import { migration as backgroundJobs } from './0065_background_jobs.ts';
import { migration as pipelines } from './0066_pipelines.ts';
import { migration as pushOptions } from './0067_push_options.ts';
import { migration as environments } from './0068_environments.ts';
import { migration as logEnds } from './0069_log_ends.ts';
import { migration as newestPipelines } from './0070_newest_pipelines.ts';
import { migration as environmentUrls } from './0074_environment_urls.ts';
import { migration as alerts } from './0075_alerts.ts';
import { migration as errorTracking } from './0076_error_tracking.ts';
import { migration as eventLoggers } from './0077_event_loggers.ts';
import { migration as sshCertificates } from './0078_ssh_certificates.ts';
import { migration as snippets } from './0079_snippets.ts';
import { migration as storageMoves } from './0080_storage_moves.ts';
import { migration as bulkImports } from './0081_bulk_imports.ts';
import { migration as awaitedEpics } from './0082_awaited_epics.ts';
import { migration as replicationSites } from './0083_replication_sites.ts';
import { migration as secondary } from './0084_secondary.ts';
import { migration as importedProjects } from './0086_imported_projects.ts';
import { migration as ciVariables } from './0087_ci_variables.ts';
import { migration as pipelineTriggers } from './0088_pipeline_triggers.ts';
import { migration as pipelineSchedules } from './0089_pipeline_schedules.ts';
import { migration as commitStatuses } from './0090_commit_statuses.ts';
import { migration as threads } from './0091_threads.ts';
import { migration as awardEmoji } from './0092_award_emoji.ts';
import { migration as issueLinks } from './0093_issue_links.ts';
import { migration as labelHistories } from './0094_label_histories.ts';
import { migration as approvals } from './0095_approvals.ts';
import { migration as autoMerges } from './0096_auto_merges.ts';
import { migration as todos } from './0097_todos.ts';
import { migration as wikis } from './0098_wikis.ts';
import { migration as wikiReplicas } from './0099_wiki_replicas.ts';
import { migration as followed } from './0100_followed.ts';
import { migration as errorSearch } from './0103_error_search.ts';
import { migration as processDeaths } from './0104_process_deaths.ts';
import { migration as jobOptionParts } from './0105_job_option_parts.ts';
import { migration as siteProofs } from './0106_site_proofs.ts';
import { migration as commitMails } from './0111_commit_mails.ts';
import { migration as customAttributes } from './0112_custom_attributes.ts';
import { migration as topics } from './0113_topics.ts';
import { migration as listFilters } from './0114_list_filters.ts';
import { migration as emojiNames } from './0117_emoji_names.ts';
import { migration as projectSnippets } from './0118_project_snippets.ts';
import { migration as lfsLocks } from './0119_lfs_locks.ts';
import { migration as projectListsAndDebugLogs } from './0120_project_lists_and_debug_logs.ts';
import { migration as protectedTags } from './0124_protected_tags.ts';
import { migration as popularity } from './0125_popularity.ts';
import { migration as commitTodos } from './0130_commit_todos.ts';
import { migration as listOrders } from './0131_list_orders.ts';
import type { Migration } from './migration.ts';

// To add a migration, create a file `NNNN_<area>.ts` with the next number in this folder. It exports
//
//   export const migration: Migration = {
//     name: '0002_identity',
//     async up(db, dialect) {
//       await db.schema
//         .createTable('users')
//         .addColumn('id', ...dialect.id)
//         .addColumn('username', dialect.text, (column) => column.notNull())
//         .addColumn('username_key', dialect.key, (column) => column.notNull())
//         .addColumn('admin', dialect.boolean, (column) => column.notNull().defaultTo(false))
//         .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
//         .execute();
//       await db.schema.createIndex('users_by_username').on('users').column('username_key').unique().execute();
//     },
//   };
//
// Import it here, append it to the list, and run `npm run tables`. Migrations only go forward: the schema changes of a released
// migration never change. Create unique rules as indexes with createIndex, so that
// `getViolatedUniqueIndex` returns the same name on both engines. Create foreign keys with the column, because SQLite cannot add
// them later.

/** All migrations, in execution order. */
export const migrations: readonly Migration[] = [
  background,
  blobs,
  settings,
  identity,
  access,
  history,
  repositories,
  limits,
  groups,
  search,
  sessions,
  protectedBranchLevels,
  limitEnds,
  oauth,
  tokenBots,
  emails,
  userDeletion,
  oauthFamilies,
  archived,
  repositorySummaries,
  stars,
  groupBranchProtection,
  botNamespaces,
  userSearch,
  intentsWithoutLeases,
  iids,
  labels,
  milestones,
  issues,
  notes,
  resourceEvents,
  notificationSettings,
  activityFeeds,
  issueLists,
  mergeRequests,
  epics,
  iterations,
  hangOns,
  pendingMerges,
  mail,
  mergeRequestLists,
  epicLists,
  authorFeeds,
  labelCounts,
  closingIids,
  keptHeads,
  backgroundJobs,
  pipelines,
  pushOptions,
  environments,
  logEnds,
  newestPipelines,
  environmentUrls,
  alerts,
  errorTracking,
  eventLoggers,
  sshCertificates,
  snippets,
  storageMoves,
  bulkImports,
  awaitedEpics,
  replicationSites,
  secondary,
  importedProjects,
  ciVariables,
  pipelineTriggers,
  pipelineSchedules,
  commitStatuses,
  threads,
  awardEmoji,
  issueLinks,
  labelHistories,
  approvals,
  autoMerges,
  todos,
  wikis,
  wikiReplicas,
  followed,
  errorSearch,
  processDeaths,
  jobOptionParts,
  siteProofs,
  commitMails,
  customAttributes,
  topics,
  listFilters,
  emojiNames,
  projectSnippets,
  lfsLocks,
  projectListsAndDebugLogs,
  protectedTags,
  popularity,
  commitTodos,
  listOrders,
];
