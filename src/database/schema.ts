import type { ActivityTables } from './tables/activity.ts';
import type { MonitoringTables } from './tables/alerts.ts';
import type { IdentityTables } from './tables/authentication.ts';
import type { AwardEmojiTables } from './tables/award-emoji.ts';
import type { BlobsTables } from './tables/blobs.ts';
import type { BulkImportsTables } from './tables/bulk-imports.ts';
import type { CustomAttributesTables } from './tables/custom-attributes.ts';
import type { DomainTables } from './tables/domain.ts';
import type { EnvironmentsTables } from './tables/environments.ts';
import type { EpicsTables } from './tables/epics.ts';
import type { ErrorTrackingTables } from './tables/error-tracking.ts';
import type { IidsTables } from './tables/iids.ts';
import type { IssuesTables } from './tables/issues.ts';
import type { IterationsTables } from './tables/iterations.ts';
import type { JobsTables } from './tables/jobs.ts';
import type { LabelsTables } from './tables/labels.ts';
import type { MailTables } from './tables/mail.ts';
import type { MergeRequestsTables } from './tables/merge-requests.ts';
import type { MilestonesTables } from './tables/milestones.ts';
import type { NotesTables } from './tables/notes.ts';
import type { NotificationTables } from './tables/notification-settings.ts';
import type { OAuthTables } from './tables/oauth.ts';
import type { PipelineSchedulesTables } from './tables/pipeline-schedules.ts';
import type { PipelineTriggersTables } from './tables/pipeline-triggers.ts';
import type { PipelinesTables } from './tables/pipelines.ts';
import type { ProtectedTagsTables } from './tables/protected-tags.ts';
import type { LimitsTables } from './tables/rate-limits.ts';
import type { SecondaryTables } from './tables/replication.ts';
import type { SitesTables } from './tables/replication-sites.ts';
import type { RepositoryTables } from './tables/repositories.ts';
import type { ResourceEventsTables } from './tables/resource-events.ts';
import type { RunnersTables } from './tables/runners.ts';
import type { SettingsTables } from './tables/settings.ts';
import type { SnippetsTables } from './tables/snippets.ts';
import type { SshCertificatesTables } from './tables/ssh-certificates.ts';
import type { StorageMovesTables } from './tables/storage-moves.ts';
import type { TodosTables } from './tables/todos.ts';
import type { TopicsTables } from './tables/topics.ts';
import type { WikisTables } from './tables/wikis.ts';

/** All tables. Each module or resource adds an interface in `tables/` and lists it here. */
export interface Schema
  extends JobsTables,
    BlobsTables,
    SettingsTables,
    IdentityTables,
    OAuthTables,
    CustomAttributesTables,
    DomainTables,
    TopicsTables,
    ActivityTables,
    IidsTables,
    LabelsTables,
    MilestonesTables,
    IssuesTables,
    MergeRequestsTables,
    EpicsTables,
    IterationsTables,
    NotesTables,
    AwardEmojiTables,
    TodosTables,
    ResourceEventsTables,
    NotificationTables,
    MailTables,
    RunnersTables,
    PipelinesTables,
    PipelineTriggersTables,
    PipelineSchedulesTables,
    EnvironmentsTables,
    ErrorTrackingTables,
    MonitoringTables,
    BulkImportsTables,
    SitesTables,
    SnippetsTables,
    StorageMovesTables,
    SshCertificatesTables,
    RepositoryTables,
    ProtectedTagsTables,
    SecondaryTables,
    WikisTables,
    LimitsTables {}
