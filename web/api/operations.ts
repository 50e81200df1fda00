// Written by `npm run api`: the operations that web/ calls, and the types of their responses.

export interface Operations {
  'DELETE /groups/:id': { params: { readonly id: number | string; readonly permanently_remove?: boolean; readonly full_path?: string }; result: Message };
  'DELETE /groups/:id/epics/:epic_id/notes/:note_id': { params: { readonly id: number | string; readonly epic_id: number | string; readonly note_id: number | string }; result: null };
  'DELETE /groups/:id/epics/:epic_iid': { params: { readonly id: number | string; readonly epic_iid: number | string }; result: null };
  'DELETE /groups/:id/epics/:epic_iid/award_emoji/:award_id': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly award_id: number | string }; result: null };
  'DELETE /groups/:id/epics/:epic_iid/issues/:epic_issue_id_or_issue_id': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly epic_issue_id_or_issue_id: number | string }; result: EpicIssueLink };
  'DELETE /groups/:id/iterations/:iteration_id': { params: { readonly id: number | string; readonly iteration_id: number | string }; result: null };
  'DELETE /groups/:id/labels/:label_id': { params: { readonly id: number | string; readonly label_id: number | string }; result: null };
  'DELETE /groups/:id/members/:user_id': { params: { readonly id: number | string; readonly user_id: number | string; readonly skip_subresources?: boolean; readonly unassign_issuables?: boolean }; result: null };
  'DELETE /groups/:id/milestones/:milestone_id': { params: { readonly id: number | string; readonly milestone_id: number | string }; result: null };
  'DELETE /groups/:id/variables/:key': { params: { readonly id: number | string; readonly key: number | string; readonly filter?: { readonly environment_scope?: string } }; result: null };
  'DELETE /personal_access_tokens/:id': { params: { readonly id: number | string }; result: null };
  'DELETE /projects/:id': { params: { readonly id: number | string; readonly permanently_remove?: boolean; readonly full_path?: string }; result: Message };
  'DELETE /projects/:id/issues/:issue_iid': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: null };
  'DELETE /projects/:id/issues/:issue_iid/award_emoji/:award_id': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly award_id: number | string }; result: null };
  'DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly issue_link_id: number | string }; result: IssueLink };
  'DELETE /projects/:id/issues/:issue_iid/notes/:note_id': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly note_id: number | string }; result: null };
  'DELETE /projects/:id/labels/:label_id': { params: { readonly id: number | string; readonly label_id: number | string }; result: null };
  'DELETE /projects/:id/members/:user_id': { params: { readonly id: number | string; readonly user_id: number | string; readonly skip_subresources?: boolean; readonly unassign_issuables?: boolean }; result: null };
  'DELETE /projects/:id/merge_requests/:merge_request_iid': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: null };
  'DELETE /projects/:id/merge_requests/:merge_request_iid/award_emoji/:award_id': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly award_id: number | string }; result: null };
  'DELETE /projects/:id/merge_requests/:merge_request_iid/notes/:note_id': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly note_id: number | string }; result: null };
  'DELETE /projects/:id/milestones/:milestone_id': { params: { readonly id: number | string; readonly milestone_id: number | string }; result: null };
  'DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string }; result: null };
  'DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string; readonly key: number | string }; result: PipelineVariable };
  'DELETE /projects/:id/pipelines/:pipeline_id': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: null };
  'DELETE /projects/:id/repository/branches/:branch': { params: { readonly id: number | string; readonly branch: number | string }; result: null };
  'DELETE /projects/:id/repository/files/:file_path': { params: { readonly id: number | string; readonly file_path: number | string; readonly branch: string; readonly commit_message: string; readonly start_branch?: string; readonly author_email?: string; readonly author_name?: string; readonly last_commit_id?: string }; result: null };
  'DELETE /projects/:id/repository/merged_branches': { params: { readonly id: number | string }; result: Message };
  'DELETE /projects/:id/repository/tags/:tag_name': { params: { readonly id: number | string; readonly tag_name: number | string }; result: null };
  'DELETE /projects/:id/runners/:runner_id': { params: { readonly id: number | string; readonly runner_id: number | string }; result: null };
  'DELETE /projects/:id/triggers/:trigger_id': { params: { readonly id: number | string; readonly trigger_id: number | string }; result: null };
  'DELETE /projects/:id/variables/:key': { params: { readonly id: number | string; readonly key: number | string; readonly filter?: { readonly environment_scope?: string } }; result: null };
  'DELETE /runners/:id': { params: { readonly id: number | string }; result: null };
  'DELETE /user/emails/:email_id': { params: { readonly email_id: number | string }; result: null };
  'DELETE /user/sessions/:id': { params: { readonly id: number | string }; result: null };
  'GET /events': { params: { readonly action?: 'created' | 'updated' | 'closed' | 'reopened' | 'pushed' | 'commented' | 'merged' | 'joined' | 'left' | 'destroyed' | 'expired' | 'approved'; readonly target_type?: 'issue' | 'milestone' | 'merge_request' | 'note' | 'project' | 'snippet' | 'user' | 'wiki' | 'design'; readonly before?: string; readonly after?: string; readonly sort?: 'asc' | 'desc'; readonly scope?: unknown; readonly page?: number; readonly per_page?: number }; result: readonly ActivityEvent[] };
  'GET /groups': { params: { readonly search?: string; readonly order_by?: 'name' | 'path' | 'id' | 'similarity'; readonly sort?: 'asc' | 'desc'; readonly owned?: boolean; readonly all_available?: boolean; readonly min_access_level?: 10 | 15 | 20 | 30 | 40 | 50; readonly visibility?: 'private' | 'internal' | 'public'; readonly skip_groups?: readonly number[] | string; readonly top_level_only?: boolean; readonly statistics?: boolean; readonly archived?: boolean; readonly active?: boolean; readonly marked_for_deletion_on?: string; readonly repository_storage?: string; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly pagination?: string; readonly cursor?: string; readonly id_after?: string; readonly id_before?: string; readonly page?: number; readonly per_page?: number }; result: readonly Group[] };
  'GET /groups/:id': { params: { readonly id: number | string; readonly with_projects?: boolean; readonly statistics?: boolean; readonly with_custom_attributes?: boolean }; result: GroupDetail };
  'GET /groups/:id/abilities': { params: { readonly id: number | string }; result: GroupAbilities };
  'GET /groups/:id/epics': { params: { readonly id: number | string; readonly state?: 'opened' | 'closed' | 'all'; readonly labels?: readonly string[] | string; readonly author_id?: number; readonly author_username?: string; readonly my_reaction_emoji?: string; readonly search?: string; readonly confidential?: boolean; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly not?: { readonly labels?: readonly string[] | string; readonly author_id?: number; readonly author_username?: string; readonly my_reaction_emoji?: string }; readonly include_ancestor_groups?: boolean; readonly include_descendant_groups?: boolean; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'title'; readonly sort?: 'asc' | 'desc'; readonly page?: number; readonly per_page?: number }; result: readonly EpicInList[] };
  'GET /groups/:id/epics/:epic_id/discussions': { params: { readonly id: number | string; readonly epic_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly Discussion[] };
  'GET /groups/:id/epics/:epic_id/resource_label_events': { params: { readonly id: number | string; readonly epic_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly LabelEvent[] };
  'GET /groups/:id/epics/:epic_id/resource_state_events': { params: { readonly id: number | string; readonly epic_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly StateEvent[] };
  'GET /groups/:id/epics/:epic_iid': { params: { readonly id: number | string; readonly epic_iid: number | string }; result: EpicDetails };
  'GET /groups/:id/epics/:epic_iid/award_emoji': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly AwardEmoji[] };
  'GET /groups/:id/epics/:epic_iid/issues': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly EpicIssue[] };
  'GET /groups/:id/issues': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all'; readonly state?: 'opened' | 'closed' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string; readonly confidential?: boolean; readonly epic_id?: number | 'None' | 'Any'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly due_date?: '0' | 'any' | 'today' | 'tomorrow' | 'overdue' | 'week' | 'month' | 'next_month_and_previous_two_weeks'; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | 'requirement' | 'ticket'; readonly health_status?: 'on_track' | 'needs_attention' | 'at_risk' | 'none' | 'any'; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string }; readonly closed_by_id?: number; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'due_date' | 'title' | 'weight' | 'relative_position' | 'priority' | 'milestone_due' | 'popularity' | 'label_priority'; readonly sort?: 'asc' | 'desc'; readonly non_archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly IssueInList[] };
  'GET /groups/:id/issues_statistics': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string; readonly confidential?: boolean; readonly epic_id?: number | 'None' | 'Any'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly due_date?: '0' | 'any' | 'today' | 'tomorrow' | 'overdue' | 'week' | 'month' | 'next_month_and_previous_two_weeks'; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | 'requirement' | 'ticket'; readonly health_status?: 'on_track' | 'needs_attention' | 'at_risk' | 'none' | 'any'; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string } }; result: IssuesStatistics };
  'GET /groups/:id/iterations': { params: { readonly id: number | string; readonly state?: 'opened' | 'upcoming' | 'current' | 'started' | 'closed' | 'all'; readonly search?: string; readonly in?: readonly ('title' | 'cadence_title')[] | string; readonly include_ancestors?: boolean; readonly include_descendants?: boolean; readonly updated_before?: string; readonly updated_after?: string; readonly page?: number; readonly per_page?: number }; result: readonly Iteration[] };
  'GET /groups/:id/iterations/:iteration_id': { params: { readonly id: number | string; readonly iteration_id: number | string }; result: Iteration };
  'GET /groups/:id/labels': { params: { readonly id: number | string; readonly with_counts?: boolean; readonly include_ancestor_groups?: boolean; readonly include_descendant_groups?: boolean; readonly only_group_labels?: boolean; readonly search?: string; readonly archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly Label[] };
  'GET /groups/:id/members': { params: { readonly id: number | string; readonly query?: string; readonly user_ids?: readonly number[] | string; readonly skip_users?: readonly number[] | string; readonly state?: 'active' | 'awaiting'; readonly page?: number; readonly per_page?: number }; result: readonly Member[] };
  'GET /groups/:id/members/all': { params: { readonly id: number | string; readonly query?: string; readonly user_ids?: readonly number[] | string; readonly skip_users?: readonly number[] | string; readonly state?: 'active' | 'awaiting'; readonly page?: number; readonly per_page?: number }; result: readonly Member[] };
  'GET /groups/:id/merge_requests': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all' | 'reviews_for_me'; readonly state?: 'opened' | 'closed' | 'merged' | 'locked' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string; readonly source_project_id?: number; readonly source_branch?: string; readonly target_branch?: string; readonly draft?: boolean; readonly wip?: 'yes' | 'no'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string }; readonly deployed_before?: string; readonly deployed_after?: string; readonly environment?: string; readonly approved?: 'yes' | 'no'; readonly approved_by_ids?: readonly (number | 'None' | 'Any')[] | string; readonly approved_by_usernames?: readonly string[] | string; readonly approver_ids?: readonly (number | 'None' | 'Any')[] | string; readonly merge_user_id?: number; readonly merge_user_username?: string; readonly view?: 'simple'; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'title' | 'merged_at' | 'priority' | 'label_priority' | 'milestone_due' | 'popularity'; readonly sort?: 'asc' | 'desc'; readonly non_archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly (MergeRequestInList | MergeRequestSimple)[] };
  'GET /groups/:id/milestones': { params: { readonly id: number | string; readonly state?: 'active' | 'closed' | 'all'; readonly iids?: readonly number[] | string; readonly title?: string; readonly search?: string; readonly include_ancestors?: boolean; readonly include_parent_milestones?: boolean; readonly include_descendants?: boolean; readonly updated_before?: string; readonly updated_after?: string; readonly page?: number; readonly per_page?: number }; result: readonly Milestone[] };
  'GET /groups/:id/milestones/:milestone_id/issues': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly IssueInList[] };
  'GET /groups/:id/milestones/:milestone_id/merge_requests': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly MergeRequestInList[] };
  'GET /groups/:id/notification_settings': { params: { readonly id: number | string }; result: NotificationSetting };
  'GET /groups/:id/projects': { params: { readonly id: number | string; readonly archived?: boolean; readonly active?: boolean; readonly visibility?: 'private' | 'internal' | 'public'; readonly search?: string; readonly sort?: 'asc' | 'desc'; readonly simple?: boolean; readonly owned?: boolean; readonly starred?: boolean; readonly topic?: readonly string[] | string; readonly with_issues_enabled?: boolean; readonly with_merge_requests_enabled?: boolean; readonly min_access_level?: 10 | 15 | 20 | 30 | 40 | 50; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly order_by?: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at' | 'similarity' | 'star_count'; readonly include_subgroups?: boolean; readonly include_ancestor_groups?: boolean; readonly with_shared?: boolean; readonly with_security_reports?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly (ProjectSimple | ProjectWithPermissions)[] };
  'GET /groups/:id/subgroups': { params: { readonly id: number | string; readonly search?: string; readonly order_by?: 'name' | 'path' | 'id' | 'similarity'; readonly sort?: 'asc' | 'desc'; readonly owned?: boolean; readonly all_available?: boolean; readonly min_access_level?: 10 | 15 | 20 | 30 | 40 | 50; readonly visibility?: 'private' | 'internal' | 'public'; readonly skip_groups?: readonly number[] | string; readonly top_level_only?: boolean; readonly statistics?: boolean; readonly archived?: boolean; readonly active?: boolean; readonly marked_for_deletion_on?: string; readonly repository_storage?: string; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly page?: number; readonly per_page?: number }; result: readonly Group[] };
  'GET /groups/:id/variables': { params: { readonly id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly CiVariable[] };
  'GET /issues': { params: { readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all'; readonly state?: 'opened' | 'closed' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string; readonly confidential?: boolean; readonly epic_id?: number | 'None' | 'Any'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly due_date?: '0' | 'any' | 'today' | 'tomorrow' | 'overdue' | 'week' | 'month' | 'next_month_and_previous_two_weeks'; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | 'requirement' | 'ticket'; readonly health_status?: 'on_track' | 'needs_attention' | 'at_risk' | 'none' | 'any'; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string }; readonly closed_by_id?: number; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'due_date' | 'title' | 'weight' | 'relative_position' | 'priority' | 'milestone_due' | 'popularity' | 'label_priority'; readonly sort?: 'asc' | 'desc'; readonly non_archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly IssueInList[] };
  'GET /merge_requests': { params: { readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all' | 'reviews_for_me'; readonly state?: 'opened' | 'closed' | 'merged' | 'locked' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string; readonly source_project_id?: number; readonly source_branch?: string; readonly target_branch?: string; readonly draft?: boolean; readonly wip?: 'yes' | 'no'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string }; readonly deployed_before?: string; readonly deployed_after?: string; readonly environment?: string; readonly approved?: 'yes' | 'no'; readonly approved_by_ids?: readonly (number | 'None' | 'Any')[] | string; readonly approved_by_usernames?: readonly string[] | string; readonly approver_ids?: readonly (number | 'None' | 'Any')[] | string; readonly merge_user_id?: number; readonly merge_user_username?: string; readonly view?: 'simple'; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'title' | 'merged_at' | 'priority' | 'label_priority' | 'milestone_due' | 'popularity'; readonly sort?: 'asc' | 'desc'; readonly non_archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly (MergeRequestInList | MergeRequestSimple)[] };
  'GET /namespaces/:id': { params: { readonly id: number | string }; result: Namespace };
  'GET /notification_settings': { params: {}; result: GlobalNotificationSetting };
  'GET /personal_access_tokens': { params: { readonly user_id?: number; readonly revoked?: boolean; readonly state?: 'active' | 'inactive'; readonly created_before?: string; readonly created_after?: string; readonly last_used_before?: string; readonly last_used_after?: string; readonly expires_before?: string; readonly expires_after?: string; readonly search?: string; readonly sort?: string; readonly page?: number; readonly per_page?: number }; result: readonly PersonalAccessToken[] };
  'GET /projects': { params: { readonly archived?: boolean; readonly active?: boolean; readonly visibility?: 'private' | 'internal' | 'public'; readonly search?: string; readonly sort?: 'asc' | 'desc'; readonly simple?: boolean; readonly owned?: boolean; readonly starred?: boolean; readonly topic?: readonly string[] | string; readonly with_issues_enabled?: boolean; readonly with_merge_requests_enabled?: boolean; readonly min_access_level?: 10 | 15 | 20 | 30 | 40 | 50; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly order_by?: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at' | 'similarity' | 'star_count' | 'repository_size' | 'wiki_size' | 'storage_size' | 'packages_size'; readonly search_namespaces?: boolean; readonly membership?: boolean; readonly id_after?: number; readonly id_before?: number; readonly last_activity_after?: string; readonly last_activity_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly statistics?: boolean; readonly imported?: boolean; readonly marked_for_deletion_on?: string; readonly topic_id?: number; readonly repository_storage?: string; readonly repository_checksum_failed?: boolean; readonly wiki_checksum_failed?: boolean; readonly with_programming_language?: string; readonly include_hidden?: boolean; readonly include_pending_delete?: boolean; readonly pagination?: string; readonly cursor?: string; readonly page?: number; readonly per_page?: number }; result: readonly (ProjectSimple | ProjectWithPermissions)[] };
  'GET /projects/:id': { params: { readonly id: number | string; readonly statistics?: boolean; readonly license?: boolean; readonly with_custom_attributes?: boolean }; result: ProjectSimple | ProjectWithPermissions };
  'GET /projects/:id/abilities': { params: { readonly id: number | string }; result: ProjectAbilities };
  'GET /projects/:id/issues': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all'; readonly state?: 'opened' | 'closed' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string; readonly confidential?: boolean; readonly epic_id?: number | 'None' | 'Any'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly due_date?: '0' | 'any' | 'today' | 'tomorrow' | 'overdue' | 'week' | 'month' | 'next_month_and_previous_two_weeks'; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | 'requirement' | 'ticket'; readonly health_status?: 'on_track' | 'needs_attention' | 'at_risk' | 'none' | 'any'; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string }; readonly closed_by_id?: number; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'due_date' | 'title' | 'weight' | 'relative_position' | 'priority' | 'milestone_due' | 'popularity' | 'label_priority'; readonly sort?: 'asc' | 'desc'; readonly pagination?: string; readonly cursor?: string; readonly id_after?: string; readonly id_before?: string; readonly page?: number; readonly per_page?: number }; result: readonly IssueInList[] };
  'GET /projects/:id/issues/:issue_iid': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: Issue };
  'GET /projects/:id/issues/:issue_iid/award_emoji': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly AwardEmoji[] };
  'GET /projects/:id/issues/:issue_iid/discussions': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly Discussion[] };
  'GET /projects/:id/issues/:issue_iid/links': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: readonly LinkedIssue[] };
  'GET /projects/:id/issues/:issue_iid/related_merge_requests': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly MergeRequestInList[] };
  'GET /projects/:id/issues/:issue_iid/resource_label_events': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly LabelEvent[] };
  'GET /projects/:id/issues/:issue_iid/resource_milestone_events': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly MilestoneEvent[] };
  'GET /projects/:id/issues/:issue_iid/resource_state_events': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly StateEvent[] };
  'GET /projects/:id/issues/:issue_iid/resource_weight_events': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly WeightEvent[] };
  'GET /projects/:id/issues_statistics': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string; readonly confidential?: boolean; readonly epic_id?: number | 'None' | 'Any'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly due_date?: '0' | 'any' | 'today' | 'tomorrow' | 'overdue' | 'week' | 'month' | 'next_month_and_previous_two_weeks'; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | 'requirement' | 'ticket'; readonly health_status?: 'on_track' | 'needs_attention' | 'at_risk' | 'none' | 'any'; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started'; readonly weight?: number | 'None' | 'Any'; readonly iteration_id?: number | 'None' | 'Any' | 'Current'; readonly iteration_title?: string } }; result: IssuesStatistics };
  'GET /projects/:id/iterations': { params: { readonly id: number | string; readonly state?: 'opened' | 'upcoming' | 'current' | 'started' | 'closed' | 'all'; readonly search?: string; readonly in?: readonly ('title' | 'cadence_title')[] | string; readonly include_ancestors?: boolean; readonly include_descendants?: boolean; readonly updated_before?: string; readonly updated_after?: string; readonly page?: number; readonly per_page?: number }; result: readonly Iteration[] };
  'GET /projects/:id/jobs': { params: { readonly id: number | string; readonly scope?: 'created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled' | readonly ('created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled')[]; readonly ref?: string; readonly pagination?: string; readonly order_by?: string; readonly sort?: string; readonly cursor?: string; readonly id_after?: string; readonly id_before?: string; readonly page?: number; readonly per_page?: number }; result: readonly Job[] };
  'GET /projects/:id/jobs/:job_id': { params: { readonly id: number | string; readonly job_id: number | string }; result: Job };
  'GET /projects/:id/jobs/:job_id/artifacts': { params: { readonly id: number | string; readonly job_id: number | string }; result: null };
  'GET /projects/:id/jobs/:job_id/trace': { params: { readonly id: number | string; readonly job_id: number | string }; result: null };
  'GET /projects/:id/labels': { params: { readonly id: number | string; readonly with_counts?: boolean; readonly include_ancestor_groups?: boolean; readonly search?: string; readonly archived?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly ProjectLabel[] };
  'GET /projects/:id/members': { params: { readonly id: number | string; readonly query?: string; readonly user_ids?: readonly number[] | string; readonly skip_users?: readonly number[] | string; readonly state?: 'active' | 'awaiting'; readonly page?: number; readonly per_page?: number }; result: readonly Member[] };
  'GET /projects/:id/members/all': { params: { readonly id: number | string; readonly query?: string; readonly user_ids?: readonly number[] | string; readonly skip_users?: readonly number[] | string; readonly state?: 'active' | 'awaiting'; readonly page?: number; readonly per_page?: number }; result: readonly Member[] };
  'GET /projects/:id/merge_requests': { params: { readonly id: number | string; readonly scope?: 'created_by_me' | 'assigned_to_me' | 'created-by-me' | 'assigned-to-me' | 'all' | 'reviews_for_me'; readonly state?: 'opened' | 'closed' | 'merged' | 'locked' | 'all'; readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string; readonly source_project_id?: number; readonly source_branch?: string; readonly target_branch?: string; readonly draft?: boolean; readonly wip?: 'yes' | 'no'; readonly search?: string; readonly in?: readonly ('title' | 'description')[] | string; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly not?: { readonly labels?: readonly string[] | string; readonly milestone?: string; readonly iids?: readonly number[] | string; readonly author_id?: number; readonly author_username?: string; readonly assignee_id?: number | 'None' | 'Any'; readonly assignee_username?: readonly string[] | string; readonly my_reaction_emoji?: string; readonly reviewer_id?: number | 'None' | 'Any'; readonly reviewer_username?: string }; readonly deployed_before?: string; readonly deployed_after?: string; readonly environment?: string; readonly approved?: 'yes' | 'no'; readonly approved_by_ids?: readonly (number | 'None' | 'Any')[] | string; readonly approved_by_usernames?: readonly string[] | string; readonly approver_ids?: readonly (number | 'None' | 'Any')[] | string; readonly merge_user_id?: number; readonly merge_user_username?: string; readonly view?: 'simple'; readonly with_labels_details?: boolean; readonly order_by?: 'created_at' | 'updated_at' | 'title' | 'merged_at' | 'priority' | 'label_priority' | 'milestone_due' | 'popularity'; readonly sort?: 'asc' | 'desc'; readonly page?: number; readonly per_page?: number }; result: readonly (MergeRequestInList | MergeRequestSimple)[] };
  'GET /projects/:id/merge_requests/:merge_request_iid': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly render_html?: boolean; readonly include_diverged_commits_count?: boolean; readonly include_rebase_in_progress?: boolean }; result: MergeRequest };
  'GET /projects/:id/merge_requests/:merge_request_iid/approvals': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: Approvals };
  'GET /projects/:id/merge_requests/:merge_request_iid/award_emoji': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly AwardEmoji[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/commits': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly Commit[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/diffs': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly unidiff?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly Diff[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/discussions': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly Discussion[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/pipelines': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly PipelineListed[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/resource_label_events': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly LabelEvent[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/resource_milestone_events': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly MilestoneEvent[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/resource_state_events': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly StateEvent[] };
  'GET /projects/:id/merge_requests/:merge_request_iid/reviewers': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly page?: number; readonly per_page?: number }; result: readonly Reviewer[] };
  'GET /projects/:id/milestones': { params: { readonly id: number | string; readonly state?: 'active' | 'closed' | 'all'; readonly iids?: readonly number[] | string; readonly title?: string; readonly search?: string; readonly include_ancestors?: boolean; readonly include_parent_milestones?: boolean; readonly updated_before?: string; readonly updated_after?: string; readonly page?: number; readonly per_page?: number }; result: readonly Milestone[] };
  'GET /projects/:id/milestones/:milestone_id/issues': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly IssueInList[] };
  'GET /projects/:id/milestones/:milestone_id/merge_requests': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly MergeRequestInList[] };
  'GET /projects/:id/notification_settings': { params: { readonly id: number | string }; result: NotificationSetting };
  'GET /projects/:id/pipeline_schedules': { params: { readonly id: number | string; readonly scope?: 'active' | 'inactive'; readonly page?: number; readonly per_page?: number }; result: readonly PipelineSchedule[] };
  'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string }; result: PipelineScheduleDetail };
  'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string; readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags'; readonly status?: 'created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled'; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly sort?: 'asc' | 'desc'; readonly page?: number; readonly per_page?: number }; result: readonly PipelineListed[] };
  'GET /projects/:id/pipelines': { params: { readonly id: number | string; readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags'; readonly status?: 'created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled'; readonly created_after?: string; readonly created_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly ref?: string; readonly sha?: string; readonly source?: 'push' | 'api' | 'web' | 'trigger' | 'schedule' | 'pipeline' | 'external' | 'unknown' | 'chat' | 'webide' | 'merge_request_event' | 'external_pull_request_event' | 'parent_pipeline' | 'ondemand_dast_scan' | 'ondemand_dast_validation' | 'security_orchestration_policy' | 'container_registry_push' | 'duo_workflow' | 'pipeline_execution_policy_schedule'; readonly username?: string; readonly name?: string; readonly yaml_errors?: boolean; readonly order_by?: 'id' | 'status' | 'ref' | 'updated_at' | 'user_id'; readonly sort?: 'asc' | 'desc'; readonly page?: number; readonly per_page?: number }; result: readonly PipelineListed[] };
  'GET /projects/:id/pipelines/:pipeline_id': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: PipelineDetail };
  'GET /projects/:id/pipelines/:pipeline_id/jobs': { params: { readonly id: number | string; readonly pipeline_id: number | string; readonly scope?: 'created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled' | readonly ('created' | 'waiting_for_resource' | 'preparing' | 'waiting_for_callback' | 'pending' | 'running' | 'success' | 'failed' | 'canceling' | 'canceled' | 'skipped' | 'manual' | 'scheduled')[]; readonly include_retried?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly Job[] };
  'GET /projects/:id/pipelines/:pipeline_id/needs': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: readonly JobNeeds[] };
  'GET /projects/:id/pipelines/:pipeline_id/variables': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: readonly PipelineVariable[] };
  'GET /projects/:id/repository/branches': { params: { readonly id: number | string; readonly search?: string; readonly regex?: string; readonly sort?: 'name_asc' | 'updated_asc' | 'updated_desc'; readonly pagination?: string; readonly page_token?: string; readonly page?: number; readonly per_page?: number }; result: readonly Branch[] };
  'GET /projects/:id/repository/branches/:branch': { params: { readonly id: number | string; readonly branch: number | string }; result: Branch };
  'GET /projects/:id/repository/commits': { params: { readonly id: number | string; readonly ref_name?: string; readonly since?: string; readonly until?: string; readonly path?: string; readonly author?: string; readonly all?: boolean; readonly with_stats?: boolean; readonly first_parent?: boolean; readonly order?: 'default' | 'topo'; readonly trailers?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly CommitInList[] };
  'GET /projects/:id/repository/commits/:sha': { params: { readonly id: number | string; readonly sha: number | string; readonly stats?: boolean }; result: CommitDetail };
  'GET /projects/:id/repository/commits/:sha/diff': { params: { readonly id: number | string; readonly sha: number | string; readonly unidiff?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly Diff[] };
  'GET /projects/:id/repository/commits/:sha/refs': { params: { readonly id: number | string; readonly sha: number | string; readonly type?: 'branch' | 'tag' | 'all'; readonly page?: number; readonly per_page?: number }; result: readonly CommitRef[] };
  'GET /projects/:id/repository/compare': { params: { readonly id: number | string; readonly from: string; readonly to: string; readonly from_project_id?: number; readonly straight?: boolean; readonly unidiff?: boolean }; result: Compare };
  'GET /projects/:id/repository/files/:file_path': { params: { readonly id: number | string; readonly file_path: number | string; readonly ref: string }; result: RepositoryFile };
  'GET /projects/:id/repository/files/:file_path/blame': { params: { readonly id: number | string; readonly file_path: number | string; readonly ref: string; readonly range?: { readonly start: number; readonly end: number } }; result: readonly BlameRange[] };
  'GET /projects/:id/repository/files/:file_path/raw': { params: { readonly id: number | string; readonly file_path: number | string; readonly ref?: string; readonly lfs?: boolean }; result: null };
  'GET /projects/:id/repository/tags': { params: { readonly id: number | string; readonly order_by?: 'name' | 'updated' | 'version'; readonly sort?: 'asc' | 'desc'; readonly search?: string; readonly pagination?: string; readonly page_token?: string; readonly page?: number; readonly per_page?: number }; result: readonly Tag[] };
  'GET /projects/:id/repository/tree': { params: { readonly id: number | string; readonly ref?: string; readonly path?: string; readonly recursive?: boolean; readonly pagination?: 'legacy' | 'keyset' | 'none'; readonly page_token?: string; readonly page?: number; readonly per_page?: number }; result: readonly TreeEntry[] };
  'GET /projects/:id/repository/tree_commits': { params: { readonly id: number | string; readonly ref?: string; readonly path?: string; readonly page?: number; readonly per_page?: number }; result: readonly TreeCommit[] };
  'GET /projects/:id/runners': { params: { readonly id: number | string; readonly scope?: 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale' | 'specific' | 'shared' | 'instance_type' | 'group_type' | 'project_type'; readonly type?: 'instance_type' | 'group_type' | 'project_type'; readonly status?: 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale'; readonly paused?: boolean; readonly tag_list?: readonly string[] | string; readonly version_prefix?: string; readonly page?: number; readonly per_page?: number }; result: readonly Runner[] };
  'GET /projects/:id/triggers': { params: { readonly id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly PipelineTrigger[] };
  'GET /projects/:id/users': { params: { readonly id: number | string; readonly search?: string; readonly skip_users?: readonly number[] | string; readonly page?: number; readonly per_page?: number }; result: readonly UserBasic[] };
  'GET /projects/:id/variables': { params: { readonly id: number | string; readonly page?: number; readonly per_page?: number }; result: readonly CiVariable[] };
  'GET /runners': { params: { readonly scope?: 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale' | 'specific' | 'shared' | 'instance_type' | 'group_type' | 'project_type'; readonly type?: 'instance_type' | 'group_type' | 'project_type'; readonly status?: 'active' | 'paused' | 'online' | 'offline' | 'never_contacted' | 'stale'; readonly paused?: boolean; readonly tag_list?: readonly string[] | string; readonly version_prefix?: string; readonly page?: number; readonly per_page?: number }; result: readonly Runner[] };
  'GET /runners/:id': { params: { readonly id: number | string; readonly include_projects?: boolean }; result: RunnerDetail };
  'GET /todos': { params: { readonly state?: 'pending' | 'done'; readonly action?: 'assigned' | 'review_requested' | 'mentioned' | 'directly_addressed' | 'build_failed' | 'unmergeable' | 'marked' | 'approval_required' | 'review_submitted' | 'member_access_requested' | 'merge_train_removed' | 'ssh_key_expired' | 'ssh_key_expiring_soon' | 'okr_checkin_requested' | 'added_approver' | 'duo_pro_access_granted' | 'duo_enterprise_access_granted' | 'duo_core_access_granted'; readonly type?: 'Issue' | 'MergeRequest' | 'Epic' | 'Commit' | 'Project' | 'Namespace' | 'Key' | 'User' | 'WorkItem' | 'Vulnerability' | 'WikiPage::Meta' | 'DesignManagement::Design' | 'AlertManagement::Alert' | 'ComplianceManagement::Projects::ComplianceViolation'; readonly author_id?: number; readonly project_id?: number; readonly group_id?: number; readonly page?: number; readonly per_page?: number }; result: readonly Todo[] };
  'GET /user': { params: {}; result: UserSelf | UserAdmin };
  'GET /user/emails': { params: { readonly page?: number; readonly per_page?: number }; result: readonly Email[] };
  'GET /user/sessions': { params: { readonly page?: number; readonly per_page?: number }; result: readonly BrowserSession[] };
  'GET /users': { params: { readonly username?: string; readonly search?: string; readonly public_email?: string; readonly active?: boolean; readonly blocked?: boolean; readonly external?: boolean; readonly humans?: boolean; readonly exclude_external?: boolean; readonly exclude_humans?: boolean; readonly exclude_active?: boolean; readonly exclude_internal?: boolean; readonly without_project_bots?: boolean; readonly extern_uid?: string; readonly provider?: string; readonly admins?: boolean; readonly auditors?: boolean; readonly two_factor?: string; readonly without_projects?: boolean; readonly created_after?: string; readonly created_before?: string; readonly order_by?: 'id' | 'name' | 'username' | 'created_at' | 'updated_at'; readonly sort?: 'asc' | 'desc'; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly pagination?: string; readonly cursor?: string; readonly id_after?: string; readonly id_before?: string; readonly page?: number; readonly per_page?: number }; result: readonly (UserBasic | UserAdmin)[] };
  'GET /users/:id': { params: { readonly id: number | string; readonly with_custom_attributes?: boolean }; result: UserExtended | UserHidden | UserAdminDetail };
  'GET /users/:user_id/event_counts': { params: { readonly user_id: number | string; readonly before?: string; readonly after?: string }; result: EventCounts };
  'GET /users/:user_id/events': { params: { readonly user_id: number | string; readonly action?: 'created' | 'updated' | 'closed' | 'reopened' | 'pushed' | 'commented' | 'merged' | 'joined' | 'left' | 'destroyed' | 'expired' | 'approved'; readonly target_type?: 'issue' | 'milestone' | 'merge_request' | 'note' | 'project' | 'snippet' | 'user' | 'wiki' | 'design'; readonly before?: string; readonly after?: string; readonly sort?: 'asc' | 'desc'; readonly page?: number; readonly per_page?: number }; result: readonly ActivityEvent[] };
  'GET /users/:user_id/projects': { params: { readonly user_id: number | string; readonly archived?: boolean; readonly active?: boolean; readonly visibility?: 'private' | 'internal' | 'public'; readonly search?: string; readonly sort?: 'asc' | 'desc'; readonly simple?: boolean; readonly owned?: boolean; readonly starred?: boolean; readonly topic?: readonly string[] | string; readonly with_issues_enabled?: boolean; readonly with_merge_requests_enabled?: boolean; readonly min_access_level?: 10 | 15 | 20 | 30 | 40 | 50; readonly with_custom_attributes?: boolean; readonly custom_attributes?: Readonly<Record<string, string>>; readonly order_by?: 'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at' | 'similarity' | 'star_count' | 'repository_size' | 'wiki_size' | 'storage_size' | 'packages_size'; readonly search_namespaces?: boolean; readonly membership?: boolean; readonly id_after?: number; readonly id_before?: number; readonly last_activity_after?: string; readonly last_activity_before?: string; readonly updated_after?: string; readonly updated_before?: string; readonly statistics?: boolean; readonly imported?: boolean; readonly marked_for_deletion_on?: string; readonly topic_id?: number; readonly repository_storage?: string; readonly repository_checksum_failed?: boolean; readonly wiki_checksum_failed?: boolean; readonly with_programming_language?: string; readonly include_hidden?: boolean; readonly include_pending_delete?: boolean; readonly page?: number; readonly per_page?: number }; result: readonly (ProjectSimple | ProjectWithPermissions)[] };
  'POST /groups': { params: { readonly name: string; readonly path: string; readonly parent_id?: number | null; readonly description?: string | null; readonly visibility?: 'private' | 'internal' | 'public' | null; readonly avatar?: null; readonly project_creation_level?: 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer' | null; readonly subgroup_creation_level?: 'owner' | 'maintainer' | null; readonly default_branch?: string | null; readonly default_branch_protection?: 0 | 1 | 2 | 3 | 4 | null; readonly default_branch_protection_defaults?: { readonly allowed_to_push?: readonly { readonly access_level: 0 | 30 | 40 | 60 }[]; readonly allow_force_push?: boolean; readonly allowed_to_merge?: readonly { readonly access_level: 0 | 30 | 40 | 60 }[]; readonly code_owner_approval_required?: boolean; readonly developer_can_initial_push?: boolean } | null; readonly membership_lock?: boolean | null; readonly share_with_group_lock?: boolean | null; readonly prevent_sharing_groups_outside_hierarchy?: boolean | null; readonly prevent_forking_outside_group?: boolean | null; readonly require_two_factor_authentication?: boolean | null; readonly two_factor_grace_period?: number | null; readonly request_access_enabled?: boolean | null; readonly lfs_enabled?: boolean | null; readonly emails_enabled?: boolean | null; readonly mentions_disabled?: boolean | null; readonly shared_runners_setting?: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable' | null; readonly allow_runner_registration_token?: boolean | null; readonly wiki_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly auto_devops_enabled?: boolean | null; readonly show_diff_preview_in_email?: boolean | null; readonly math_rendering_limits_enabled?: boolean | null; readonly lock_math_rendering_limits_enabled?: boolean | null; readonly max_artifacts_size?: number | null; readonly only_allow_merge_if_pipeline_succeeds?: boolean | null; readonly allow_merge_on_skipped_pipeline?: boolean | null; readonly only_allow_merge_if_all_discussions_are_resolved?: boolean | null; readonly shared_runners_minutes_limit?: number | null; readonly extra_shared_runners_minutes_limit?: number | null; readonly file_template_project_id?: number | null; readonly emails_disabled?: boolean | null; readonly ip_restriction_ranges?: unknown | null; readonly allowed_email_domains_list?: unknown | null; readonly unique_project_download_limit?: unknown | null; readonly auto_ban_user_on_excessive_projects_download?: unknown | null; readonly enabled_git_access_protocol?: unknown | null }; result: GroupDetail };
  'POST /groups/:id/epics': { params: { readonly id: number | string; readonly title: string; readonly description?: string | null; readonly confidential?: boolean | null; readonly labels?: readonly string[] | string | null; readonly color?: string | null; readonly parent_id?: number | null; readonly start_date_fixed?: string | null; readonly start_date_is_fixed?: boolean | null; readonly due_date_fixed?: string | null; readonly due_date_is_fixed?: boolean | null; readonly start_date?: string | null; readonly end_date?: string | null; readonly created_at?: string | null }; result: Epic };
  'POST /groups/:id/epics/:epic_id/discussions': { params: { readonly id: number | string; readonly epic_id: number | string; readonly body: string; readonly created_at?: string | null }; result: Discussion | CommandsOnly };
  'POST /groups/:id/epics/:epic_id/discussions/:discussion_id/notes': { params: { readonly id: number | string; readonly epic_id: number | string; readonly discussion_id: number | string; readonly body: string; readonly created_at?: string | null }; result: Note | CommandsOnly };
  'POST /groups/:id/epics/:epic_id/notes': { params: { readonly id: number | string; readonly epic_id: number | string; readonly body: string; readonly internal?: boolean | null; readonly confidential?: boolean | null; readonly created_at?: string | null; readonly merge_request_diff_head_sha?: string | null }; result: Note | CommandsOnly };
  'POST /groups/:id/epics/:epic_iid/award_emoji': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly name: string }; result: AwardEmoji };
  'POST /groups/:id/epics/:epic_iid/issues/:epic_issue_id_or_issue_id': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly epic_issue_id_or_issue_id: number | string }; result: EpicIssueLink };
  'POST /groups/:id/epics/:epic_iid/todo': { params: { readonly id: number | string; readonly epic_iid: number | string }; result: Todo };
  'POST /groups/:id/iterations': { params: { readonly id: number | string; readonly start_date: string; readonly due_date: string; readonly title?: string | null; readonly description?: string | null; readonly iterations_cadence_id?: number | null }; result: Iteration };
  'POST /groups/:id/labels': { params: { readonly id: number | string; readonly name: string; readonly color: string; readonly description?: string | null; readonly archived?: boolean | null }; result: Label };
  'POST /groups/:id/labels/:label_id/subscribe': { params: { readonly id: number | string; readonly label_id: number | string; readonly include_ancestor_groups?: boolean | null }; result: Label };
  'POST /groups/:id/labels/:label_id/unsubscribe': { params: { readonly id: number | string; readonly label_id: number | string; readonly include_ancestor_groups?: boolean | null }; result: Label };
  'POST /groups/:id/members': { params: { readonly id: number | string; readonly access_level: number; readonly user_id?: readonly number[] | string | null; readonly username?: readonly string[] | string | null; readonly expires_at?: string | null }; result: Member | AddedMembers };
  'POST /groups/:id/milestones': { params: { readonly id: number | string; readonly title: string; readonly description?: string | null; readonly due_date?: string | null; readonly start_date?: string | null }; result: Milestone };
  'POST /groups/:id/restore': { params: { readonly id: number | string }; result: GroupDetail };
  'POST /groups/:id/variables': { params: { readonly id: number | string; readonly key: string; readonly value: string; readonly variable_type?: 'env_var' | 'file' | null; readonly protected?: boolean | null; readonly masked?: boolean | null; readonly raw?: boolean | null; readonly description?: string | null; readonly masked_and_hidden?: boolean | null; readonly environment_scope?: string | null }; result: CiVariable };
  'POST /personal_access_tokens/:id/rotate': { params: { readonly id: number | string; readonly expires_at?: string | null }; result: PersonalAccessTokenWithSecret };
  'POST /projects': { params: { readonly name?: string | null; readonly path?: string | null; readonly description?: string | null; readonly visibility?: 'private' | 'internal' | 'public' | null; readonly topics?: readonly string[] | string | null; readonly tag_list?: readonly string[] | string | null; readonly default_branch?: string | null; readonly issues_enabled?: boolean | null; readonly merge_requests_enabled?: boolean | null; readonly wiki_enabled?: boolean | null; readonly jobs_enabled?: boolean | null; readonly snippets_enabled?: boolean | null; readonly issues_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly merge_requests_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly repository_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly builds_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly environments_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly wiki_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly forking_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly snippets_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly container_registry_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly releases_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly feature_flags_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly infrastructure_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly monitor_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly model_experiments_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly model_registry_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly analytics_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly requirements_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly package_registry_access_level?: 'disabled' | 'private' | 'enabled' | 'public' | null; readonly pages_access_level?: 'disabled' | 'private' | 'enabled' | 'public' | null; readonly security_and_compliance_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly lfs_enabled?: boolean | null; readonly repository_read_only?: boolean | null; readonly repository_storage?: string | null; readonly shared_runners_enabled?: boolean | null; readonly group_runners_enabled?: boolean | null; readonly build_timeout?: number | null; readonly public_jobs?: boolean | null; readonly public_builds?: boolean | null; readonly ci_config_path?: string | null; readonly ci_default_git_depth?: number | null; readonly allow_pipeline_trigger_approve_deployment?: boolean | null; readonly ci_forward_deployment_enabled?: boolean | null; readonly build_git_strategy?: 'fetch' | 'clone' | null; readonly auto_cancel_pending_pipelines?: 'enabled' | 'disabled' | null; readonly ci_separated_caches?: boolean | null; readonly keep_latest_artifact?: boolean | null; readonly max_artifacts_size?: number | null; readonly ci_pipeline_variables_minimum_override_role?: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner' | null; readonly restrict_user_defined_variables?: boolean | null; readonly ci_restrict_pipeline_cancellation_role?: 'developer' | 'maintainer' | 'no_one' | null; readonly ci_delete_pipelines_in_seconds?: number | null; readonly resource_group_default_process_mode?: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first' | null; readonly auto_devops_enabled?: boolean | null; readonly auto_devops_deploy_strategy?: 'continuous' | 'manual' | 'timed_incremental' | null; readonly ci_forward_deployment_rollback_allowed?: boolean | null; readonly ci_allow_fork_pipelines_to_run_in_parent_project?: boolean | null; readonly ci_push_repository_for_job_token_allowed?: boolean | null; readonly ci_id_token_sub_claim_components?: readonly string[] | string | null; readonly merge_method?: 'merge' | 'rebase_merge' | 'ff' | null; readonly squash_option?: 'never' | 'always' | 'default_on' | 'default_off' | null; readonly only_allow_merge_if_pipeline_succeeds?: boolean | null; readonly allow_merge_on_skipped_pipeline?: boolean | null; readonly only_allow_merge_if_all_discussions_are_resolved?: boolean | null; readonly remove_source_branch_after_merge?: boolean | null; readonly autoclose_referenced_issues?: boolean | null; readonly merge_request_title_regex?: string | null; readonly merge_request_title_regex_description?: string | null; readonly merge_commit_template?: string | null; readonly squash_commit_template?: string | null; readonly suggestion_commit_message?: string | null; readonly issue_branch_template?: string | null; readonly issues_template?: string | null; readonly merge_requests_template?: string | null; readonly merge_pipelines_enabled?: boolean | null; readonly merge_trains_enabled?: boolean | null; readonly merge_trains_skip_train_allowed?: boolean | null; readonly show_diff_preview_in_email?: boolean | null; readonly warn_about_potentially_unwanted_characters?: boolean | null; readonly request_access_enabled?: boolean | null; readonly printing_merge_request_link_enabled?: boolean | null; readonly resolve_outdated_diff_discussions?: boolean | null; readonly packages_enabled?: boolean | null; readonly container_registry_enabled?: boolean | null; readonly service_desk_enabled?: boolean | null; readonly enforce_auth_checks_on_uploads?: boolean | null; readonly approvals_before_merge?: number | null; readonly external_authorization_classification_label?: string | null; readonly container_expiration_policy_attributes?: { readonly cadence?: string; readonly enabled?: boolean; readonly keep_n?: number; readonly older_than?: string; readonly name_regex?: string; readonly name_regex_delete?: string; readonly name_regex_keep?: string } | null; readonly emails_enabled?: boolean | null; readonly emails_disabled?: boolean | null; readonly mirror?: unknown | null; readonly mirror_trigger_builds?: unknown | null; readonly mirror_user_id?: unknown | null; readonly mirror_branch_regex?: unknown | null; readonly mirror_overwrites_diverged_branches?: unknown | null; readonly only_mirror_protected_branches?: unknown | null; readonly fallback_approvals_required?: unknown | null; readonly mr_default_target_self?: unknown | null; readonly show_default_award_emojis?: unknown | null; readonly web_based_commit_signing_enabled?: unknown | null; readonly spp_repository_pipeline_access?: unknown | null; readonly auto_duo_code_review_enabled?: unknown | null; readonly duo_remote_flows_enabled?: unknown | null; readonly duo_sast_fp_detection_enabled?: unknown | null; readonly duo_sast_vr_workflow_enabled?: unknown | null; readonly only_allow_merge_if_all_status_checks_passed?: unknown | null; readonly prevent_merge_without_jira_issue?: unknown | null; readonly namespace_id?: number | null; readonly initialize_with_readme?: boolean | null; readonly avatar?: null; readonly import_url?: string | null; readonly template_name?: string | null; readonly template_project_id?: number | null; readonly use_custom_template?: boolean | null; readonly group_with_project_templates_id?: number | null }; result: Project };
  'POST /projects/:id/archive': { params: { readonly id: number | string }; result: Project };
  'POST /projects/:id/ci/lint': { params: { readonly id: number | string; readonly content: string; readonly dry_run?: boolean | null; readonly ref?: string | null; readonly include_jobs?: boolean | null }; result: LintResult };
  'POST /projects/:id/issues': { params: { readonly id: number | string; readonly title: string; readonly description?: string | null; readonly confidential?: boolean | null; readonly assignee_ids?: readonly number[] | string | null; readonly assignee_id?: number | null; readonly milestone_id?: number | null; readonly labels?: readonly string[] | string | null; readonly due_date?: string | null; readonly weight?: number | null; readonly epic_id?: number | null; readonly epic_iid?: number | null; readonly iteration_id?: number | null; readonly discussion_locked?: boolean | null; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | null; readonly created_at?: string | null; readonly add_labels?: readonly string[] | string | null; readonly remove_labels?: readonly string[] | string | null; readonly iid?: number | null; readonly merge_request_to_resolve_discussions_of?: number | null; readonly discussion_to_resolve?: string | null }; result: Issue };
  'POST /projects/:id/issues/:issue_iid/add_spent_time': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly duration: string; readonly summary?: string | null }; result: TimeStats };
  'POST /projects/:id/issues/:issue_iid/award_emoji': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly name: string }; result: AwardEmoji };
  'POST /projects/:id/issues/:issue_iid/discussions': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly body: string; readonly created_at?: string | null }; result: Discussion | CommandsOnly };
  'POST /projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly discussion_id: number | string; readonly body: string; readonly created_at?: string | null }; result: Note | CommandsOnly };
  'POST /projects/:id/issues/:issue_iid/links': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly target_project_id: string; readonly target_issue_iid: number; readonly link_type?: 'relates_to' | 'blocks' | 'is_blocked_by' | null }; result: IssueLink };
  'POST /projects/:id/issues/:issue_iid/move': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly to_project_id: number }; result: Issue };
  'POST /projects/:id/issues/:issue_iid/notes': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly body: string; readonly internal?: boolean | null; readonly confidential?: boolean | null; readonly created_at?: string | null; readonly merge_request_diff_head_sha?: string | null }; result: Note | CommandsOnly };
  'POST /projects/:id/issues/:issue_iid/reset_spent_time': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: TimeStats };
  'POST /projects/:id/issues/:issue_iid/reset_time_estimate': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: TimeStats };
  'POST /projects/:id/issues/:issue_iid/subscribe': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: Issue };
  'POST /projects/:id/issues/:issue_iid/time_estimate': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly duration: string }; result: TimeStats };
  'POST /projects/:id/issues/:issue_iid/todo': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: Todo };
  'POST /projects/:id/issues/:issue_iid/unsubscribe': { params: { readonly id: number | string; readonly issue_iid: number | string }; result: Issue };
  'POST /projects/:id/jobs/:job_id/artifacts/keep': { params: { readonly id: number | string; readonly job_id: number | string }; result: Job };
  'POST /projects/:id/jobs/:job_id/cancel': { params: { readonly id: number | string; readonly job_id: number | string; readonly force?: boolean | null }; result: Job };
  'POST /projects/:id/jobs/:job_id/erase': { params: { readonly id: number | string; readonly job_id: number | string }; result: Job };
  'POST /projects/:id/jobs/:job_id/play': { params: { readonly id: number | string; readonly job_id: number | string; readonly job_variables_attributes?: readonly { readonly key: string; readonly value: string }[] | null }; result: Job };
  'POST /projects/:id/jobs/:job_id/retry': { params: { readonly id: number | string; readonly job_id: number | string }; result: Job };
  'POST /projects/:id/labels': { params: { readonly id: number | string; readonly name: string; readonly color: string; readonly description?: string | null; readonly archived?: boolean | null; readonly priority?: number | null }; result: ProjectLabel };
  'POST /projects/:id/labels/:label_id/subscribe': { params: { readonly id: number | string; readonly label_id: number | string; readonly include_ancestor_groups?: boolean | null }; result: ProjectLabel };
  'POST /projects/:id/labels/:label_id/unsubscribe': { params: { readonly id: number | string; readonly label_id: number | string; readonly include_ancestor_groups?: boolean | null }; result: ProjectLabel };
  'POST /projects/:id/members': { params: { readonly id: number | string; readonly access_level: number; readonly user_id?: readonly number[] | string | null; readonly username?: readonly string[] | string | null; readonly expires_at?: string | null }; result: Member | AddedMembers };
  'POST /projects/:id/merge_requests': { params: { readonly id: number | string; readonly title: string; readonly source_branch: string; readonly target_branch: string; readonly target_project_id?: number | null; readonly description?: string | null; readonly assignee_id?: number | null; readonly assignee_ids?: readonly number[] | string | null; readonly reviewer_ids?: readonly number[] | string | null; readonly labels?: readonly string[] | string | null; readonly milestone_id?: number | null; readonly remove_source_branch?: boolean | null; readonly squash?: boolean | null; readonly merge_after?: string | null; readonly add_labels?: readonly string[] | string | null; readonly remove_labels?: readonly string[] | string | null }; result: MergeRequest };
  'POST /projects/:id/merge_requests/:merge_request_iid/approve': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly sha?: string | null }; result: Approvals };
  'POST /projects/:id/merge_requests/:merge_request_iid/award_emoji': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly name: string }; result: AwardEmoji };
  'POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: AutoMergeCanceled };
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly body: string; readonly created_at?: string | null; readonly position?: { readonly base_sha: string; readonly start_sha: string; readonly head_sha: string; readonly position_type: 'text' | 'image' | 'file'; readonly new_path?: string; readonly new_line?: number; readonly old_path?: string; readonly old_line?: number; readonly width?: number; readonly height?: number; readonly x?: number; readonly y?: number; readonly line_range?: { readonly start?: { readonly line_code?: string; readonly type?: string; readonly old_line?: number; readonly new_line?: number }; readonly end?: { readonly line_code?: string; readonly type?: string; readonly old_line?: number; readonly new_line?: number } } } | null; readonly commit_id?: string | null }; result: Discussion | CommandsOnly };
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly discussion_id: number | string; readonly body: string; readonly created_at?: string | null }; result: Note | CommandsOnly };
  'POST /projects/:id/merge_requests/:merge_request_iid/notes': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly body: string; readonly internal?: boolean | null; readonly confidential?: boolean | null; readonly created_at?: string | null; readonly merge_request_diff_head_sha?: string | null }; result: Note | CommandsOnly };
  'POST /projects/:id/merge_requests/:merge_request_iid/subscribe': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: MergeRequest };
  'POST /projects/:id/merge_requests/:merge_request_iid/unapprove': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: Approvals };
  'POST /projects/:id/merge_requests/:merge_request_iid/unsubscribe': { params: { readonly id: number | string; readonly merge_request_iid: number | string }; result: MergeRequest };
  'POST /projects/:id/milestones': { params: { readonly id: number | string; readonly title: string; readonly description?: string | null; readonly due_date?: string | null; readonly start_date?: string | null }; result: Milestone };
  'POST /projects/:id/pipeline': { params: { readonly id: number | string; readonly ref: string; readonly variables?: readonly { readonly key: string; readonly value: string; readonly variable_type?: 'env_var' | 'file' }[] | null }; result: Pipeline };
  'POST /projects/:id/pipeline_schedules': { params: { readonly id: number | string; readonly description: string; readonly ref: string; readonly cron: string; readonly cron_timezone?: string | null; readonly active?: boolean | null }; result: PipelineScheduleDetail };
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/play': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string }; result: Message };
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string }; result: PipelineScheduleDetail };
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string; readonly key: string; readonly value: string; readonly variable_type?: 'env_var' | 'file' | null }; result: PipelineVariable };
  'POST /projects/:id/pipelines/:pipeline_id/cancel': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: Pipeline };
  'POST /projects/:id/pipelines/:pipeline_id/retry': { params: { readonly id: number | string; readonly pipeline_id: number | string }; result: Pipeline };
  'POST /projects/:id/repository/branches': { params: { readonly id: number | string; readonly branch: string; readonly ref: string }; result: Branch };
  'POST /projects/:id/repository/commits/:sha/cherry_pick': { params: { readonly id: number | string; readonly sha: number | string; readonly branch: string; readonly dry_run?: boolean | null; readonly message?: string | null }; result: Commit | DryRun };
  'POST /projects/:id/repository/commits/:sha/revert': { params: { readonly id: number | string; readonly sha: number | string; readonly branch: string; readonly dry_run?: boolean | null; readonly message?: string | null }; result: Commit | DryRun };
  'POST /projects/:id/repository/files/:file_path': { params: { readonly id: number | string; readonly file_path: number | string; readonly branch: string; readonly commit_message: string; readonly start_branch?: string | null; readonly author_email?: string | null; readonly author_name?: string | null; readonly last_commit_id?: string | null; readonly content: string; readonly encoding?: 'text' | 'base64' | null; readonly execute_filemode?: boolean | null }; result: WrittenFile };
  'POST /projects/:id/repository/tags': { params: { readonly id: number | string; readonly tag_name: string; readonly ref: string; readonly message?: string | null }; result: Tag };
  'POST /projects/:id/restore': { params: { readonly id: number | string }; result: Project };
  'POST /projects/:id/runners': { params: { readonly id: number | string; readonly runner_id: number }; result: Runner };
  'POST /projects/:id/triggers': { params: { readonly id: number | string; readonly description: string; readonly expires_at?: string | null }; result: PipelineTrigger };
  'POST /projects/:id/unarchive': { params: { readonly id: number | string }; result: Project };
  'POST /projects/:id/variables': { params: { readonly id: number | string; readonly key: string; readonly value: string; readonly variable_type?: 'env_var' | 'file' | null; readonly protected?: boolean | null; readonly masked?: boolean | null; readonly raw?: boolean | null; readonly description?: string | null; readonly masked_and_hidden?: boolean | null; readonly environment_scope?: string | null }; result: CiVariable };
  'POST /todos/:id/mark_as_done': { params: { readonly id: number | string }; result: Todo };
  'POST /todos/mark_as_done': { params: {}; result: null };
  'POST /user/emails': { params: { readonly email: string }; result: Email };
  'POST /user/personal_access_tokens': { params: { readonly name: string; readonly description?: string | null; readonly scopes: readonly ('api' | 'read_api' | 'read_user' | 'create_runner' | 'manage_runner' | 'k8s_proxy' | 'self_rotate' | 'read_repository' | 'write_repository' | 'read_registry' | 'write_registry' | 'read_virtual_registry' | 'write_virtual_registry' | 'read_observability' | 'write_observability' | 'ai_features' | 'sudo' | 'admin_mode' | 'read_service_ping')[] | string; readonly expires_at?: string | null }; result: PersonalAccessTokenWithSecret };
  'POST /user/runners': { params: { readonly runner_type: 'instance_type' | 'group_type' | 'project_type'; readonly group_id?: number | null; readonly project_id?: number | null; readonly description?: string | null; readonly paused?: boolean | null; readonly tag_list?: readonly string[] | string | null; readonly run_untagged?: boolean | null; readonly locked?: boolean | null; readonly access_level?: 'not_protected' | 'ref_protected' | null; readonly maximum_timeout?: number | null; readonly maintenance_note?: string | null }; result: RunnerWithToken };
  'PUT /groups/:id': { params: { readonly id: number | string; readonly name?: string | null; readonly path?: string | null; readonly description?: string | null; readonly visibility?: 'private' | 'internal' | 'public' | null; readonly avatar?: null; readonly project_creation_level?: 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer' | null; readonly subgroup_creation_level?: 'owner' | 'maintainer' | null; readonly default_branch?: string | null; readonly default_branch_protection?: 0 | 1 | 2 | 3 | 4 | null; readonly default_branch_protection_defaults?: { readonly allowed_to_push?: readonly { readonly access_level: 0 | 30 | 40 | 60 }[]; readonly allow_force_push?: boolean; readonly allowed_to_merge?: readonly { readonly access_level: 0 | 30 | 40 | 60 }[]; readonly code_owner_approval_required?: boolean; readonly developer_can_initial_push?: boolean } | null; readonly membership_lock?: boolean | null; readonly share_with_group_lock?: boolean | null; readonly prevent_sharing_groups_outside_hierarchy?: boolean | null; readonly prevent_forking_outside_group?: boolean | null; readonly require_two_factor_authentication?: boolean | null; readonly two_factor_grace_period?: number | null; readonly request_access_enabled?: boolean | null; readonly lfs_enabled?: boolean | null; readonly emails_enabled?: boolean | null; readonly mentions_disabled?: boolean | null; readonly shared_runners_setting?: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable' | null; readonly allow_runner_registration_token?: boolean | null; readonly wiki_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly auto_devops_enabled?: boolean | null; readonly show_diff_preview_in_email?: boolean | null; readonly math_rendering_limits_enabled?: boolean | null; readonly lock_math_rendering_limits_enabled?: boolean | null; readonly max_artifacts_size?: number | null; readonly only_allow_merge_if_pipeline_succeeds?: boolean | null; readonly allow_merge_on_skipped_pipeline?: boolean | null; readonly only_allow_merge_if_all_discussions_are_resolved?: boolean | null; readonly shared_runners_minutes_limit?: number | null; readonly extra_shared_runners_minutes_limit?: number | null; readonly file_template_project_id?: number | null; readonly emails_disabled?: boolean | null; readonly ip_restriction_ranges?: unknown | null; readonly allowed_email_domains_list?: unknown | null; readonly unique_project_download_limit?: unknown | null; readonly auto_ban_user_on_excessive_projects_download?: unknown | null; readonly enabled_git_access_protocol?: unknown | null }; result: GroupDetail };
  'PUT /groups/:id/epics/:epic_id/discussions/:discussion_id': { params: { readonly id: number | string; readonly epic_id: number | string; readonly discussion_id: number | string; readonly resolved: boolean }; result: Discussion };
  'PUT /groups/:id/epics/:epic_id/notes/:note_id': { params: { readonly id: number | string; readonly epic_id: number | string; readonly note_id: number | string; readonly body: string }; result: Note | CommandsOnly };
  'PUT /groups/:id/epics/:epic_iid': { params: { readonly id: number | string; readonly epic_iid: number | string; readonly title?: string | null; readonly description?: string | null; readonly confidential?: boolean | null; readonly labels?: readonly string[] | string | null; readonly color?: string | null; readonly parent_id?: number | null; readonly start_date_fixed?: string | null; readonly start_date_is_fixed?: boolean | null; readonly due_date_fixed?: string | null; readonly due_date_is_fixed?: boolean | null; readonly start_date?: string | null; readonly end_date?: string | null; readonly created_at?: string | null; readonly add_labels?: readonly string[] | string | null; readonly remove_labels?: readonly string[] | string | null; readonly state_event?: 'close' | 'reopen' | null; readonly updated_at?: string | null }; result: Epic };
  'PUT /groups/:id/iterations/:iteration_id': { params: { readonly id: number | string; readonly iteration_id: number | string; readonly title?: string | null; readonly description?: string | null; readonly start_date?: string | null; readonly due_date?: string | null }; result: Iteration };
  'PUT /groups/:id/labels/:label_id': { params: { readonly id: number | string; readonly label_id: number | string; readonly new_name?: string | null; readonly color?: string | null; readonly description?: string | null; readonly archived?: boolean | null }; result: Label };
  'PUT /groups/:id/members/:user_id': { params: { readonly id: number | string; readonly user_id: number | string; readonly access_level: number; readonly expires_at?: string | null }; result: Member };
  'PUT /groups/:id/milestones/:milestone_id': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly title?: string | null; readonly description?: string | null; readonly due_date?: string | null; readonly start_date?: string | null; readonly state_event?: 'close' | 'activate' | null }; result: Milestone };
  'PUT /groups/:id/notification_settings': { params: { readonly id: number | string; readonly level?: string | null; readonly new_release?: boolean | null; readonly new_note?: boolean | null; readonly new_issue?: boolean | null; readonly reopen_issue?: boolean | null; readonly close_issue?: boolean | null; readonly reassign_issue?: boolean | null; readonly issue_due?: boolean | null; readonly new_merge_request?: boolean | null; readonly push_to_merge_request?: boolean | null; readonly reopen_merge_request?: boolean | null; readonly close_merge_request?: boolean | null; readonly reassign_merge_request?: boolean | null; readonly change_reviewer_merge_request?: boolean | null; readonly merge_merge_request?: boolean | null; readonly failed_pipeline?: boolean | null; readonly fixed_pipeline?: boolean | null; readonly success_pipeline?: boolean | null; readonly moved_project?: boolean | null; readonly merge_when_pipeline_succeeds?: boolean | null; readonly new_epic?: boolean | null }; result: NotificationSetting };
  'PUT /groups/:id/variables/:key': { params: { readonly id: number | string; readonly key: number | string; readonly filter?: { readonly environment_scope?: string } | null; readonly value?: string | null; readonly variable_type?: 'env_var' | 'file' | null; readonly protected?: boolean | null; readonly masked?: boolean | null; readonly raw?: boolean | null; readonly description?: string | null; readonly environment_scope?: string | null }; result: CiVariable };
  'PUT /notification_settings': { params: { readonly level?: string | null; readonly new_release?: boolean | null; readonly new_note?: boolean | null; readonly new_issue?: boolean | null; readonly reopen_issue?: boolean | null; readonly close_issue?: boolean | null; readonly reassign_issue?: boolean | null; readonly issue_due?: boolean | null; readonly new_merge_request?: boolean | null; readonly push_to_merge_request?: boolean | null; readonly reopen_merge_request?: boolean | null; readonly close_merge_request?: boolean | null; readonly reassign_merge_request?: boolean | null; readonly change_reviewer_merge_request?: boolean | null; readonly merge_merge_request?: boolean | null; readonly failed_pipeline?: boolean | null; readonly fixed_pipeline?: boolean | null; readonly success_pipeline?: boolean | null; readonly moved_project?: boolean | null; readonly merge_when_pipeline_succeeds?: boolean | null; readonly new_epic?: boolean | null; readonly approver?: boolean | null; readonly notification_email?: string | null }; result: GlobalNotificationSetting };
  'PUT /projects/:id': { params: { readonly id: number | string; readonly name?: string | null; readonly path?: string | null; readonly description?: string | null; readonly visibility?: 'private' | 'internal' | 'public' | null; readonly topics?: readonly string[] | string | null; readonly tag_list?: readonly string[] | string | null; readonly default_branch?: string | null; readonly issues_enabled?: boolean | null; readonly merge_requests_enabled?: boolean | null; readonly wiki_enabled?: boolean | null; readonly jobs_enabled?: boolean | null; readonly snippets_enabled?: boolean | null; readonly issues_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly merge_requests_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly repository_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly builds_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly environments_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly wiki_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly forking_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly snippets_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly container_registry_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly releases_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly feature_flags_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly infrastructure_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly monitor_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly model_experiments_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly model_registry_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly analytics_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly requirements_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly package_registry_access_level?: 'disabled' | 'private' | 'enabled' | 'public' | null; readonly pages_access_level?: 'disabled' | 'private' | 'enabled' | 'public' | null; readonly security_and_compliance_access_level?: 'disabled' | 'private' | 'enabled' | null; readonly lfs_enabled?: boolean | null; readonly repository_read_only?: boolean | null; readonly repository_storage?: string | null; readonly shared_runners_enabled?: boolean | null; readonly group_runners_enabled?: boolean | null; readonly build_timeout?: number | null; readonly public_jobs?: boolean | null; readonly public_builds?: boolean | null; readonly ci_config_path?: string | null; readonly ci_default_git_depth?: number | null; readonly allow_pipeline_trigger_approve_deployment?: boolean | null; readonly ci_forward_deployment_enabled?: boolean | null; readonly build_git_strategy?: 'fetch' | 'clone' | null; readonly auto_cancel_pending_pipelines?: 'enabled' | 'disabled' | null; readonly ci_separated_caches?: boolean | null; readonly keep_latest_artifact?: boolean | null; readonly max_artifacts_size?: number | null; readonly ci_pipeline_variables_minimum_override_role?: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner' | null; readonly restrict_user_defined_variables?: boolean | null; readonly ci_restrict_pipeline_cancellation_role?: 'developer' | 'maintainer' | 'no_one' | null; readonly ci_delete_pipelines_in_seconds?: number | null; readonly resource_group_default_process_mode?: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first' | null; readonly auto_devops_enabled?: boolean | null; readonly auto_devops_deploy_strategy?: 'continuous' | 'manual' | 'timed_incremental' | null; readonly ci_forward_deployment_rollback_allowed?: boolean | null; readonly ci_allow_fork_pipelines_to_run_in_parent_project?: boolean | null; readonly ci_push_repository_for_job_token_allowed?: boolean | null; readonly ci_id_token_sub_claim_components?: readonly string[] | string | null; readonly merge_method?: 'merge' | 'rebase_merge' | 'ff' | null; readonly squash_option?: 'never' | 'always' | 'default_on' | 'default_off' | null; readonly only_allow_merge_if_pipeline_succeeds?: boolean | null; readonly allow_merge_on_skipped_pipeline?: boolean | null; readonly only_allow_merge_if_all_discussions_are_resolved?: boolean | null; readonly remove_source_branch_after_merge?: boolean | null; readonly autoclose_referenced_issues?: boolean | null; readonly merge_request_title_regex?: string | null; readonly merge_request_title_regex_description?: string | null; readonly merge_commit_template?: string | null; readonly squash_commit_template?: string | null; readonly suggestion_commit_message?: string | null; readonly issue_branch_template?: string | null; readonly issues_template?: string | null; readonly merge_requests_template?: string | null; readonly merge_pipelines_enabled?: boolean | null; readonly merge_trains_enabled?: boolean | null; readonly merge_trains_skip_train_allowed?: boolean | null; readonly show_diff_preview_in_email?: boolean | null; readonly warn_about_potentially_unwanted_characters?: boolean | null; readonly request_access_enabled?: boolean | null; readonly printing_merge_request_link_enabled?: boolean | null; readonly resolve_outdated_diff_discussions?: boolean | null; readonly packages_enabled?: boolean | null; readonly container_registry_enabled?: boolean | null; readonly service_desk_enabled?: boolean | null; readonly enforce_auth_checks_on_uploads?: boolean | null; readonly approvals_before_merge?: number | null; readonly external_authorization_classification_label?: string | null; readonly container_expiration_policy_attributes?: { readonly cadence?: string; readonly enabled?: boolean; readonly keep_n?: number; readonly older_than?: string; readonly name_regex?: string; readonly name_regex_delete?: string; readonly name_regex_keep?: string } | null; readonly emails_enabled?: boolean | null; readonly emails_disabled?: boolean | null; readonly mirror?: unknown | null; readonly mirror_trigger_builds?: unknown | null; readonly mirror_user_id?: unknown | null; readonly mirror_branch_regex?: unknown | null; readonly mirror_overwrites_diverged_branches?: unknown | null; readonly only_mirror_protected_branches?: unknown | null; readonly fallback_approvals_required?: unknown | null; readonly mr_default_target_self?: unknown | null; readonly show_default_award_emojis?: unknown | null; readonly web_based_commit_signing_enabled?: unknown | null; readonly spp_repository_pipeline_access?: unknown | null; readonly auto_duo_code_review_enabled?: unknown | null; readonly duo_remote_flows_enabled?: unknown | null; readonly duo_sast_fp_detection_enabled?: unknown | null; readonly duo_sast_vr_workflow_enabled?: unknown | null; readonly only_allow_merge_if_all_status_checks_passed?: unknown | null; readonly prevent_merge_without_jira_issue?: unknown | null; readonly import_url?: string | null; readonly avatar?: null }; result: Project };
  'PUT /projects/:id/issues/:issue_iid': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly title?: string | null; readonly description?: string | null; readonly confidential?: boolean | null; readonly assignee_ids?: readonly number[] | string | null; readonly assignee_id?: number | null; readonly milestone_id?: number | null; readonly labels?: readonly string[] | string | null; readonly due_date?: string | null; readonly weight?: number | null; readonly epic_id?: number | null; readonly epic_iid?: number | null; readonly iteration_id?: number | null; readonly discussion_locked?: boolean | null; readonly issue_type?: 'issue' | 'incident' | 'task' | 'test_case' | null; readonly created_at?: string | null; readonly add_labels?: readonly string[] | string | null; readonly remove_labels?: readonly string[] | string | null; readonly state_event?: 'close' | 'reopen' | null; readonly updated_at?: string | null }; result: Issue };
  'PUT /projects/:id/issues/:issue_iid/discussions/:discussion_id': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly discussion_id: number | string; readonly resolved: boolean }; result: Discussion };
  'PUT /projects/:id/issues/:issue_iid/notes/:note_id': { params: { readonly id: number | string; readonly issue_iid: number | string; readonly note_id: number | string; readonly body: string }; result: Note | CommandsOnly };
  'PUT /projects/:id/labels/:label_id': { params: { readonly id: number | string; readonly label_id: number | string; readonly new_name?: string | null; readonly color?: string | null; readonly description?: string | null; readonly priority?: number | null; readonly archived?: boolean | null }; result: ProjectLabel };
  'PUT /projects/:id/members/:user_id': { params: { readonly id: number | string; readonly user_id: number | string; readonly access_level: number; readonly expires_at?: string | null }; result: Member };
  'PUT /projects/:id/merge_requests/:merge_request_iid': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly title?: string | null; readonly target_branch?: string | null; readonly description?: string | null; readonly assignee_id?: number | null; readonly assignee_ids?: readonly number[] | string | null; readonly reviewer_ids?: readonly number[] | string | null; readonly labels?: readonly string[] | string | null; readonly milestone_id?: number | null; readonly remove_source_branch?: boolean | null; readonly squash?: boolean | null; readonly merge_after?: string | null; readonly state_event?: 'close' | 'reopen' | null; readonly discussion_locked?: boolean | null; readonly add_labels?: readonly string[] | string | null; readonly remove_labels?: readonly string[] | string | null }; result: MergeRequest };
  'PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly discussion_id: number | string; readonly resolved: boolean }; result: Discussion };
  'PUT /projects/:id/merge_requests/:merge_request_iid/merge': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly merge_commit_message?: string | null; readonly squash_commit_message?: string | null; readonly squash?: boolean | null; readonly should_remove_source_branch?: boolean | null; readonly sha?: string | null; readonly auto_merge?: boolean | null; readonly merge_when_pipeline_succeeds?: boolean | null }; result: MergeRequest };
  'PUT /projects/:id/merge_requests/:merge_request_iid/notes/:note_id': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly note_id: number | string; readonly body: string }; result: Note | CommandsOnly };
  'PUT /projects/:id/merge_requests/:merge_request_iid/rebase': { params: { readonly id: number | string; readonly merge_request_iid: number | string; readonly skip_ci?: boolean | null }; result: MergeRequestRebase };
  'PUT /projects/:id/milestones/:milestone_id': { params: { readonly id: number | string; readonly milestone_id: number | string; readonly title?: string | null; readonly description?: string | null; readonly due_date?: string | null; readonly start_date?: string | null; readonly state_event?: 'close' | 'activate' | null }; result: Milestone };
  'PUT /projects/:id/notification_settings': { params: { readonly id: number | string; readonly level?: string | null; readonly new_release?: boolean | null; readonly new_note?: boolean | null; readonly new_issue?: boolean | null; readonly reopen_issue?: boolean | null; readonly close_issue?: boolean | null; readonly reassign_issue?: boolean | null; readonly issue_due?: boolean | null; readonly new_merge_request?: boolean | null; readonly push_to_merge_request?: boolean | null; readonly reopen_merge_request?: boolean | null; readonly close_merge_request?: boolean | null; readonly reassign_merge_request?: boolean | null; readonly change_reviewer_merge_request?: boolean | null; readonly merge_merge_request?: boolean | null; readonly failed_pipeline?: boolean | null; readonly fixed_pipeline?: boolean | null; readonly success_pipeline?: boolean | null; readonly moved_project?: boolean | null; readonly merge_when_pipeline_succeeds?: boolean | null; readonly approver?: boolean | null }; result: NotificationSetting };
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string; readonly description?: string | null; readonly ref?: string | null; readonly cron?: string | null; readonly cron_timezone?: string | null; readonly active?: boolean | null }; result: PipelineScheduleDetail };
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key': { params: { readonly id: number | string; readonly pipeline_schedule_id: number | string; readonly key: number | string; readonly value?: string | null; readonly variable_type?: 'env_var' | 'file' | null }; result: PipelineVariable };
  'PUT /projects/:id/pipelines/:pipeline_id/metadata': { params: { readonly id: number | string; readonly pipeline_id: number | string; readonly name: string }; result: PipelineDetail };
  'PUT /projects/:id/repository/branches/:branch/protect': { params: { readonly id: number | string; readonly branch: number | string; readonly developers_can_push?: boolean | null; readonly developers_can_merge?: boolean | null }; result: Branch };
  'PUT /projects/:id/repository/branches/:branch/unprotect': { params: { readonly id: number | string; readonly branch: number | string }; result: Branch };
  'PUT /projects/:id/repository/files/:file_path': { params: { readonly id: number | string; readonly file_path: number | string; readonly branch: string; readonly commit_message: string; readonly start_branch?: string | null; readonly author_email?: string | null; readonly author_name?: string | null; readonly last_commit_id?: string | null; readonly content: string; readonly encoding?: 'text' | 'base64' | null; readonly execute_filemode?: boolean | null }; result: WrittenFile };
  'PUT /projects/:id/triggers/:trigger_id': { params: { readonly id: number | string; readonly trigger_id: number | string; readonly description?: string | null }; result: PipelineTrigger };
  'PUT /projects/:id/variables/:key': { params: { readonly id: number | string; readonly key: number | string; readonly filter?: { readonly environment_scope?: string } | null; readonly value?: string | null; readonly variable_type?: 'env_var' | 'file' | null; readonly protected?: boolean | null; readonly masked?: boolean | null; readonly raw?: boolean | null; readonly description?: string | null; readonly environment_scope?: string | null }; result: CiVariable };
  'PUT /runners/:id': { params: { readonly id: number | string; readonly description?: string | null; readonly paused?: boolean | null; readonly tag_list?: readonly string[] | string | null; readonly run_untagged?: boolean | null; readonly locked?: boolean | null; readonly access_level?: 'not_protected' | 'ref_protected' | null; readonly maximum_timeout?: number | null; readonly maintenance_note?: string | null; readonly active?: boolean | null }; result: RunnerDetail };
  'PUT /user': { params: { readonly name?: string | null; readonly username?: string | null; readonly bio?: string | null; readonly location?: string | null; readonly pronouns?: string | null; readonly website_url?: string | null; readonly job_title?: string | null; readonly organization?: string | null; readonly public_email?: string | null; readonly commit_email?: string | null; readonly private_profile?: boolean | null; readonly preferred_language?: 'bg' | 'cs_CZ' | 'da_DK' | 'de' | 'en' | 'eo' | 'es' | 'fil_PH' | 'fr' | 'gl_ES' | 'id_ID' | 'it' | 'ja' | 'ko' | 'nb_NO' | 'nl_NL' | 'pl_PL' | 'pt_BR' | 'ro_RO' | 'ru' | 'si_LK' | 'tr_TR' | 'uk' | 'zh_CN' | 'zh_HK' | 'zh_TW' | null }; result: UserSelf | UserAdmin };
  'PUT /user/password': { params: { readonly current_password: string; readonly password: string }; result: null };
}

export interface ActivityEvent {
  readonly id: number;
  readonly title: null;
  readonly project_id: number;
  readonly action_name: string;
  readonly target_id: number | null;
  readonly target_iid: number | null;
  readonly target_type: string | null;
  readonly author_id: number;
  readonly target_title: string | null;
  readonly data: null;
  readonly created_at: string;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly author?: UserBasic;
  readonly note?: EventNote;
  readonly wiki_page?: EventWikiPage | null;
  readonly push_data?: PushData;
  readonly author_username: string | null;
}

export interface AddedMembers {
  readonly status: 'success' | 'error';
  readonly message?: Readonly<Record<string, string>>;
}

export interface Alert {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly severity: 'critical' | 'high' | 'medium' | 'low' | 'info' | 'unknown';
  readonly status: 'triggered' | 'acknowledged' | 'resolved' | 'ignored';
  readonly service: string | null;
  readonly monitoring_tool: string | null;
  readonly hosts: readonly string[];
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly event_count: number;
  readonly fingerprint: string | null;
  readonly environment: AlertEnvironment | null;
  readonly runbook: string | null;
  readonly issue_iid: number | null;
  readonly assignees: readonly UserBasic[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly details: Readonly<Record<string, unknown>>;
  readonly metric_query: string | null;
  readonly y_label: string | null;
}

export interface AlertEnvironment {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly external_url: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: 'available' | 'stopping' | 'stopped';
  readonly tier: 'production' | 'staging' | 'testing' | 'development' | 'other';
}

export interface Approval {
  readonly user: UserBasic;
  readonly approved_at: string;
}

export interface Approvals {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly created_at: string;
  readonly updated_at: string;
  readonly merge_status: 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged';
  readonly approved: boolean;
  readonly approvals_required: number;
  readonly approvals_left: number;
  readonly require_password_to_approve: boolean;
  readonly approved_by: readonly Approval[];
  readonly suggested_approvers: readonly unknown[];
  readonly approvers: readonly unknown[];
  readonly approver_groups: readonly unknown[];
  readonly user_has_approved: boolean;
  readonly user_can_approve: boolean;
  readonly approval_rules_left: readonly unknown[];
  readonly has_approval_rules: boolean;
  readonly merge_request_approvers_available: boolean;
  readonly multiple_approval_rules_available: boolean;
  readonly invalid_approvers_rules: readonly unknown[];
}

export interface ArtifactsFile {
  readonly filename: string;
  readonly size: number;
}

export interface AutoMergeCanceled {
  readonly status: 'success';
}

export interface AwardEmoji {
  readonly id: number;
  readonly name: string;
  readonly user: UserBasic;
  readonly created_at: string;
  readonly updated_at: string;
  readonly awardable_id: number;
  readonly awardable_type: 'Issue' | 'MergeRequest' | 'Epic' | 'Note';
  readonly url: null;
}

export interface BlameRange {
  readonly commit: BlamedCommit;
  readonly lines: readonly string[];
}

export interface BlamedCommit {
  readonly id: string;
  readonly parent_ids: readonly string[];
  readonly message: string;
  readonly authored_date: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly committed_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
}

export interface Branch {
  readonly name: string;
  readonly commit: Commit;
  readonly merged: boolean;
  readonly protected: boolean;
  readonly developers_can_push: boolean;
  readonly developers_can_merge: boolean;
  readonly can_push: boolean;
  readonly default: boolean;
  readonly web_url: string;
}

export interface BrowserSession {
  readonly id: number;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
}

export interface CiVariable {
  readonly variable_type: 'env_var' | 'file';
  readonly key: string;
  readonly value: string | null;
  readonly protected: boolean;
  readonly masked: boolean;
  readonly raw: boolean;
  readonly description: string | null;
  readonly hidden: boolean;
  readonly environment_scope: string;
}

export interface CommandsOnly {
  readonly commands_changes: NoteCommandsChanges;
  readonly summary: readonly string[];
}

export interface Commit {
  readonly id: string;
  readonly short_id: string;
  readonly created_at: string;
  readonly parent_ids: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committed_date: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly extended_trailers: Readonly<Record<string, readonly string[]>>;
  readonly web_url: string;
}

export interface CommitDetail {
  readonly id: string;
  readonly short_id: string;
  readonly created_at: string;
  readonly parent_ids: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committed_date: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly extended_trailers: Readonly<Record<string, readonly string[]>>;
  readonly web_url: string;
  readonly stats?: CommitStats;
  readonly status: string | null;
  readonly project_id: number;
  readonly last_pipeline: PipelineBasic | null;
}

export interface CommitInList {
  readonly id: string;
  readonly short_id: string;
  readonly created_at: string;
  readonly parent_ids: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committed_date: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly extended_trailers: Readonly<Record<string, readonly string[]>>;
  readonly web_url: string;
  readonly stats?: CommitStats;
}

export interface CommitRef {
  readonly type: 'branch' | 'tag';
  readonly name: string;
}

export interface CommitStats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}

export interface Compare {
  readonly commit: Commit | null;
  readonly commits: readonly Commit[];
  readonly diffs: readonly Diff[];
  readonly compare_timeout: boolean;
  readonly compare_same_ref: boolean;
  readonly web_url: string;
}

export interface ContainerExpirationPolicy {
  readonly cadence: string;
  readonly enabled: boolean;
  readonly keep_n: number | null;
  readonly older_than: string | null;
  readonly name_regex: string | null;
  readonly name_regex_keep: string | null;
  readonly next_run_at: string;
}

export interface CustomAttribute {
  readonly key: string;
  readonly value: string;
}

export interface DetailedStatus {
  readonly icon: string;
  readonly text: string;
  readonly label: string;
  readonly group: string;
  readonly tooltip: string;
  readonly has_details: boolean;
  readonly details_path: string;
  readonly illustration: string | null;
  readonly favicon: string;
}

export interface Diff {
  readonly diff: string;
  readonly collapsed: boolean;
  readonly too_large: boolean;
  readonly new_path: string;
  readonly old_path: string;
  readonly a_mode: string;
  readonly b_mode: string;
  readonly new_file: boolean;
  readonly renamed_file: boolean;
  readonly deleted_file: boolean;
  readonly generated_file: null;
}

export interface DiffRefs {
  readonly base_sha: string | null;
  readonly head_sha: string;
  readonly start_sha: string | null;
}

export interface Discussion {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: readonly Note[];
}

export interface DryRun {
  readonly dry_run: 'success';
}

export interface Email {
  readonly id: number;
  readonly email: string;
  readonly confirmed_at: string | null;
}

export interface Epic {
  readonly id: number;
  readonly work_item_id: number;
  readonly iid: number;
  readonly color: string;
  readonly text_color: string;
  readonly group_id: number;
  readonly parent_id: number | null;
  readonly parent_iid: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly title: string;
  readonly description: string | null;
  readonly confidential: boolean;
  readonly author: UserBasic;
  readonly start_date: string | null;
  readonly start_date_is_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly start_date_from_inherited_source: string | null;
  readonly start_date_from_milestones: string | null;
  readonly end_date: string | null;
  readonly due_date: string | null;
  readonly due_date_is_fixed: boolean;
  readonly due_date_fixed: string | null;
  readonly due_date_from_inherited_source: string | null;
  readonly due_date_from_milestones: string | null;
  readonly state: 'opened' | 'closed';
  readonly web_edit_url: string;
  readonly web_url: string;
  readonly references: EpicReferences;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly labels: readonly string[];
  readonly upvotes: number;
  readonly downvotes: number;
  readonly _links: EpicLinks;
}

export interface EpicDetails {
  readonly id: number;
  readonly work_item_id: number;
  readonly iid: number;
  readonly color: string;
  readonly text_color: string;
  readonly group_id: number;
  readonly parent_id: number | null;
  readonly parent_iid: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly title: string;
  readonly description: string | null;
  readonly confidential: boolean;
  readonly author: UserBasic;
  readonly start_date: string | null;
  readonly start_date_is_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly start_date_from_inherited_source: string | null;
  readonly start_date_from_milestones: string | null;
  readonly end_date: string | null;
  readonly due_date: string | null;
  readonly due_date_is_fixed: boolean;
  readonly due_date_fixed: string | null;
  readonly due_date_from_inherited_source: string | null;
  readonly due_date_from_milestones: string | null;
  readonly state: 'opened' | 'closed';
  readonly web_edit_url: string;
  readonly web_url: string;
  readonly references: EpicReferences;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly labels: readonly string[];
  readonly upvotes: number;
  readonly downvotes: number;
  readonly _links: EpicLinks;
  readonly subscribed: boolean;
}

export interface EpicInList {
  readonly id: number;
  readonly work_item_id: number;
  readonly iid: number;
  readonly color: string;
  readonly text_color: string;
  readonly group_id: number;
  readonly parent_id: number | null;
  readonly parent_iid: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly title: string;
  readonly description: string | null;
  readonly confidential: boolean;
  readonly author: UserBasic;
  readonly start_date: string | null;
  readonly start_date_is_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly start_date_from_inherited_source: string | null;
  readonly start_date_from_milestones: string | null;
  readonly end_date: string | null;
  readonly due_date: string | null;
  readonly due_date_is_fixed: boolean;
  readonly due_date_fixed: string | null;
  readonly due_date_from_inherited_source: string | null;
  readonly due_date_from_milestones: string | null;
  readonly state: 'opened' | 'closed';
  readonly web_edit_url: string;
  readonly web_url: string;
  readonly references: EpicReferences;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly labels: readonly (string | LabelBasic)[];
  readonly upvotes: number;
  readonly downvotes: number;
  readonly _links: EpicLinks;
}

export interface EpicIssue {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly labels: readonly (string | LabelBasic)[];
  readonly milestone: Milestone | null;
  readonly assignees: readonly UserBasic[];
  readonly author: UserBasic;
  readonly type: 'ISSUE' | 'INCIDENT' | 'TASK' | 'TEST_CASE';
  readonly assignee: UserBasic | null;
  readonly user_notes_count: number;
  readonly merge_requests_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly issue_type: 'issue' | 'incident' | 'task' | 'test_case';
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly task_completion_status: TaskCompletionStatus;
  readonly weight?: number | null;
  readonly blocking_issues_count: number;
  readonly has_tasks: boolean;
  readonly task_status?: string;
  readonly _links: IssueLinks;
  readonly references: References;
  readonly severity: 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly moved_to_id: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly service_desk_reply_to: null;
  readonly epic_iid?: number | null;
  readonly epic?: IssueEpic | null;
  readonly iteration?: Iteration | null;
  readonly health_status: null;
  readonly epic_issue_id: number;
  readonly relative_position: number;
}

export interface EpicIssueLink {
  readonly id: number;
  readonly relative_position: number;
  readonly epic: EpicOfIssue;
  readonly issue: Issue;
}

export interface EpicLinks {
  readonly self: string;
  readonly epic_issues: string;
  readonly group: string;
  readonly parent: string | null;
}

export interface EpicOfIssue {
  readonly id: number;
  readonly work_item_id: number;
  readonly iid: number;
  readonly color: string;
  readonly text_color: string;
  readonly group_id: number;
  readonly parent_id: number | null;
  readonly parent_iid: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly title: string;
  readonly description: string | null;
  readonly confidential: boolean;
  readonly author: UserBasic;
  readonly start_date: string | null;
  readonly start_date_is_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly start_date_from_inherited_source: string | null;
  readonly start_date_from_milestones: string | null;
  readonly end_date: string | null;
  readonly due_date: string | null;
  readonly due_date_is_fixed: boolean;
  readonly due_date_fixed: string | null;
  readonly due_date_from_inherited_source: string | null;
  readonly due_date_from_milestones: string | null;
  readonly state: 'opened' | 'closed';
  readonly web_edit_url: string;
  readonly web_url: string;
  readonly references: EpicReferences;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly labels: readonly string[];
  readonly upvotes: number;
  readonly downvotes: number;
  readonly _links: EpicLinks;
  readonly reference: string;
}

export interface EpicReferences {
  readonly short: string;
  readonly relative: string;
  readonly full: string;
}

export type EventCounts = Readonly<Record<string, number>>;

export interface EventNote {
  readonly id: number;
  readonly type: string | null;
  readonly body: string;
  readonly author: UserBasic;
  readonly created_at: string;
  readonly updated_at: string;
  readonly system: boolean;
  readonly noteable_id: number | null;
  readonly noteable_type: string;
  readonly project_id: number | null;
  readonly resolvable: boolean;
  readonly confidential: boolean;
  readonly internal: boolean;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly noteable_iid: number | null;
  readonly commands_changes: NoteCommandsChanges;
  readonly resolved?: boolean;
  readonly resolved_by?: UserBasic | null;
  readonly resolved_at?: string | null;
  readonly position?: Position;
  readonly commit_id?: string | null;
  readonly suggestions?: readonly unknown[];
  readonly attachment: null;
}

export interface EventWikiPage {
  readonly format: string;
  readonly slug: string;
  readonly title: string;
  readonly wiki_page_meta_id: number;
}

export interface GlobalNotificationSetting {
  readonly level: 'disabled' | 'participating' | 'watch' | 'global' | 'mention' | 'custom';
  readonly events?: NotificationEmailEvents;
  readonly notification_email: string;
}

export interface Group {
  readonly id: number;
  readonly web_url: string;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly visibility: string;
  readonly emails_disabled: boolean;
  readonly archived: boolean;
  readonly default_branch_protection: number;
  readonly default_branch_protection_defaults: { readonly allowed_to_push?: readonly LeastRole[]; readonly allow_force_push?: boolean; readonly allowed_to_merge?: readonly LeastRole[]; readonly code_owner_approval_required?: boolean; readonly developer_can_initial_push?: boolean };
  readonly avatar_url: null;
  readonly full_name: string;
  readonly full_path: string;
  readonly created_at: string;
  readonly parent_id: number | null;
  readonly organization_id: number;
  readonly marked_for_deletion_on: string | null;
  readonly ldap_cn: null;
  readonly ldap_access: null;
  readonly project_creation_level: 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer';
  readonly subgroup_creation_level: 'owner' | 'maintainer';
  readonly default_branch: string | null;
  readonly share_with_group_lock: boolean;
  readonly require_two_factor_authentication: boolean;
  readonly two_factor_grace_period: number;
  readonly request_access_enabled: boolean;
  readonly lfs_enabled: boolean;
  readonly emails_enabled: boolean;
  readonly mentions_disabled: boolean | null;
  readonly shared_runners_setting: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable';
  readonly wiki_access_level: 'disabled' | 'private' | 'enabled';
  readonly auto_devops_enabled: boolean | null;
  readonly show_diff_preview_in_email: boolean;
  readonly math_rendering_limits_enabled: boolean;
  readonly lock_math_rendering_limits_enabled: boolean;
  readonly max_artifacts_size: number | null;
  readonly file_template_project_id: number | null;
  readonly repository_storage?: string;
  readonly statistics?: GroupStatistics;
  readonly custom_attributes?: readonly CustomAttribute[];
}

export interface GroupAbilities {
  readonly abilities: readonly ('admin_epic' | 'admin_group_member' | 'admin_iteration' | 'admin_label' | 'admin_milestone' | 'admin_protected_environment' | 'admin_runner' | 'admin_ssh_certificate' | 'admin_variable' | 'archive_group' | 'change_note' | 'create_group_access_token' | 'create_note' | 'create_project' | 'create_runner' | 'create_subgroup' | 'create_wiki' | 'delete_epic' | 'delete_wiki' | 'download_wiki' | 'export_group' | 'manage_group_access_tokens' | 'read_confidential_epic' | 'read_epic' | 'read_group' | 'read_group_audit_events' | 'read_group_members' | 'read_internal_note' | 'read_iteration' | 'read_label' | 'read_milestone' | 'read_runner' | 'read_wiki' | 'relate_epic' | 'remove_group' | 'resolve_note' | 'set_epic_timestamps' | 'set_note_created_at' | 'transfer_group' | 'update_group')[];
}

export interface GroupDetail {
  readonly id: number;
  readonly web_url: string;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly visibility: string;
  readonly emails_disabled: boolean;
  readonly archived: boolean;
  readonly default_branch_protection: number;
  readonly default_branch_protection_defaults: { readonly allowed_to_push?: readonly LeastRole[]; readonly allow_force_push?: boolean; readonly allowed_to_merge?: readonly LeastRole[]; readonly code_owner_approval_required?: boolean; readonly developer_can_initial_push?: boolean };
  readonly avatar_url: null;
  readonly full_name: string;
  readonly full_path: string;
  readonly created_at: string;
  readonly parent_id: number | null;
  readonly organization_id: number;
  readonly marked_for_deletion_on: string | null;
  readonly ldap_cn: null;
  readonly ldap_access: null;
  readonly project_creation_level: 'noone' | 'administrator' | 'owner' | 'maintainer' | 'developer';
  readonly subgroup_creation_level: 'owner' | 'maintainer';
  readonly default_branch: string | null;
  readonly share_with_group_lock: boolean;
  readonly require_two_factor_authentication: boolean;
  readonly two_factor_grace_period: number;
  readonly request_access_enabled: boolean;
  readonly lfs_enabled: boolean;
  readonly emails_enabled: boolean;
  readonly mentions_disabled: boolean | null;
  readonly shared_runners_setting: 'enabled' | 'disabled_and_overridable' | 'disabled_and_unoverridable';
  readonly wiki_access_level: 'disabled' | 'private' | 'enabled';
  readonly auto_devops_enabled: boolean | null;
  readonly show_diff_preview_in_email: boolean;
  readonly math_rendering_limits_enabled: boolean;
  readonly lock_math_rendering_limits_enabled: boolean;
  readonly max_artifacts_size: number | null;
  readonly file_template_project_id: number | null;
  readonly repository_storage?: string;
  readonly statistics?: GroupStatistics;
  readonly custom_attributes?: readonly CustomAttribute[];
  readonly membership_lock: boolean;
  readonly prevent_forking_outside_group: boolean;
  readonly only_allow_merge_if_pipeline_succeeds: boolean;
  readonly allow_merge_on_skipped_pipeline: boolean;
  readonly only_allow_merge_if_all_discussions_are_resolved: boolean;
  readonly shared_runners_minutes_limit: number | null;
  readonly extra_shared_runners_minutes_limit: number | null;
  readonly prevent_sharing_groups_outside_hierarchy?: boolean;
  readonly allow_runner_registration_token?: boolean;
  readonly shared_with_groups: readonly {}[];
  readonly projects?: readonly (Project | ProjectSimple)[];
  readonly shared_projects?: readonly {}[];
  readonly runners_token?: string | null;
}

export interface GroupStatistics {
  readonly storage_size: number;
  readonly repository_size: number;
  readonly wiki_size: number;
  readonly lfs_objects_size: number;
  readonly job_artifacts_size: number;
  readonly pipeline_artifacts_size: number;
  readonly packages_size: number;
  readonly snippets_size: number;
  readonly uploads_size: number;
}

export interface Issue {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly labels: readonly string[];
  readonly milestone: Milestone | null;
  readonly assignees: readonly UserBasic[];
  readonly author: UserBasic;
  readonly type: 'ISSUE' | 'INCIDENT' | 'TASK' | 'TEST_CASE';
  readonly assignee: UserBasic | null;
  readonly user_notes_count: number;
  readonly merge_requests_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly issue_type: 'issue' | 'incident' | 'task' | 'test_case';
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly task_completion_status: TaskCompletionStatus;
  readonly weight?: number | null;
  readonly blocking_issues_count: number;
  readonly has_tasks: boolean;
  readonly task_status?: string;
  readonly _links: IssueLinks;
  readonly references: References;
  readonly severity: 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly moved_to_id: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly service_desk_reply_to: null;
  readonly epic_iid?: number | null;
  readonly epic?: IssueEpic | null;
  readonly iteration?: Iteration | null;
  readonly health_status: null;
  readonly subscribed: boolean;
}

export interface IssueEpic {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  readonly url: string;
  readonly group_id: number;
}

export interface IssueInList {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly labels: readonly (string | LabelBasic)[];
  readonly milestone: Milestone | null;
  readonly assignees: readonly UserBasic[];
  readonly author: UserBasic;
  readonly type: 'ISSUE' | 'INCIDENT' | 'TASK' | 'TEST_CASE';
  readonly assignee: UserBasic | null;
  readonly user_notes_count: number;
  readonly merge_requests_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly issue_type: 'issue' | 'incident' | 'task' | 'test_case';
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly task_completion_status: TaskCompletionStatus;
  readonly weight?: number | null;
  readonly blocking_issues_count: number;
  readonly has_tasks: boolean;
  readonly task_status?: string;
  readonly _links: IssueLinks;
  readonly references: References;
  readonly severity: 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly moved_to_id: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly service_desk_reply_to: null;
  readonly epic_iid?: number | null;
  readonly epic?: IssueEpic | null;
  readonly iteration?: Iteration | null;
  readonly health_status: null;
}

export interface IssueLink {
  readonly id: number;
  readonly source_issue: IssueInList;
  readonly target_issue: IssueInList;
  readonly link_type: 'relates_to' | 'blocks';
}

export interface IssueLinks {
  readonly self: string;
  readonly notes: string;
  readonly award_emoji: string;
  readonly project: string;
  readonly closed_as_duplicate_of: string | null;
}

export interface IssuesCounts {
  readonly all: number;
  readonly closed: number;
  readonly opened: number;
}

export interface IssuesStatistics {
  readonly statistics: IssuesStatisticsCounts;
}

export interface IssuesStatisticsCounts {
  readonly counts: IssuesCounts;
}

export interface Iteration {
  readonly id: number;
  readonly iid: number;
  readonly sequence: number;
  readonly group_id: number;
  readonly title: string | null;
  readonly description: string | null;
  readonly state: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly start_date: string;
  readonly due_date: string;
  readonly web_url: string;
}

export interface Job {
  readonly id: number;
  readonly status: string;
  readonly stage: string;
  readonly name: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly coverage: number | null;
  readonly allow_failure: boolean;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly erased_at: string | null;
  readonly duration: number | null;
  readonly queued_duration: number | null;
  readonly user: UserExtended | UserHidden | null;
  readonly commit: Commit | null;
  readonly pipeline: PipelineBasic;
  readonly web_url: string;
  readonly failure_reason?: string;
  readonly project: JobProject;
  readonly artifacts_file?: ArtifactsFile;
  readonly artifacts: readonly JobArtifact[];
  readonly runner: Runner | null;
  readonly runner_manager: RunnerManager | null;
  readonly artifacts_expire_at: string | null;
  readonly archived: boolean;
  readonly tag_list: readonly string[];
}

export interface JobArtifact {
  readonly file_type: string;
  readonly size: number;
  readonly filename: string;
  readonly file_format: string | null;
}

export interface JobNeeds {
  readonly id: number;
  readonly needs: readonly number[] | null;
}

export interface JobProject {
  readonly ci_job_token_scope_enabled: boolean;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly description_html: string;
  readonly text_color: string;
  readonly color: string;
  readonly archived: boolean;
  readonly open_issues_count?: number;
  readonly closed_issues_count?: number;
  readonly open_merge_requests_count?: number;
  readonly subscribed: boolean;
}

export interface LabelBasic {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly description_html: string;
  readonly text_color: string;
  readonly color: string;
  readonly archived: boolean;
}

export interface LabelEvent {
  readonly id: number;
  readonly user: UserBasic | null;
  readonly created_at: string;
  readonly resource_type: string;
  readonly resource_id: number;
  readonly label: LabelBasic | null;
  readonly action: 'add' | 'remove';
}

export interface LeastRole {
  readonly access_level: number;
}

export interface License {
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly html_url: string | null;
  readonly source_url: null;
}

export interface LineRange {
  readonly start: LineRangeEnd;
  readonly end: LineRangeEnd;
}

export interface LineRangeEnd {
  readonly line_code: string | null;
  readonly type: string | null;
  readonly old_line: number | null;
  readonly new_line: number | null;
}

export interface LinkedIssue {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed';
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly labels: readonly (string | LabelBasic)[];
  readonly milestone: Milestone | null;
  readonly assignees: readonly UserBasic[];
  readonly author: UserBasic;
  readonly type: 'ISSUE' | 'INCIDENT' | 'TASK' | 'TEST_CASE';
  readonly assignee: UserBasic | null;
  readonly user_notes_count: number;
  readonly merge_requests_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly issue_type: 'issue' | 'incident' | 'task' | 'test_case';
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly task_completion_status: TaskCompletionStatus;
  readonly weight?: number | null;
  readonly blocking_issues_count: number;
  readonly has_tasks: boolean;
  readonly task_status?: string;
  readonly _links: IssueLinks;
  readonly references: References;
  readonly severity: 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly moved_to_id: number | null;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly service_desk_reply_to: null;
  readonly epic_iid?: number | null;
  readonly epic?: IssueEpic | null;
  readonly iteration?: Iteration | null;
  readonly health_status: null;
  readonly issue_link_id: number;
  readonly link_type: 'relates_to' | 'blocks' | 'is_blocked_by';
  readonly link_created_at: string;
  readonly link_updated_at: string;
}

export interface LintResult {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly merged_yaml: string | null;
  readonly includes: readonly LintedInclude[];
  readonly jobs?: readonly LintedJob[];
}

export interface LintedInclude {
  readonly type: 'local';
  readonly location: string;
  readonly blob: string;
  readonly raw: string;
  readonly extra: LintedIncludeExtra;
  readonly context_project: string;
  readonly context_sha: string;
}

export interface LintedIncludeExtra {
}

export interface LintedJob {
  readonly name: string;
  readonly stage: string;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly after_script: readonly string[];
  readonly tag_list: readonly string[];
  readonly only?: {} | null;
  readonly except?: {} | null;
  readonly environment: string | null;
  readonly when: string;
  readonly allow_failure: boolean;
  readonly needs?: readonly LintedNeed[] | null;
}

export interface LintedNeed {
  readonly name: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

export interface Member {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly access_level: number;
  readonly created_at: string;
  readonly created_by?: UserBasic;
  readonly expires_at: string | null;
  readonly membership_state: 'active';
  readonly email?: string;
}

export interface MergeRequest {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly created_at: string;
  readonly updated_at: string;
  readonly merged_by: UserBasic | null;
  readonly merge_user: UserBasic | null;
  readonly merged_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly closed_at: string | null;
  readonly target_branch: string;
  readonly source_branch: string;
  readonly user_notes_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly author: UserBasic;
  readonly assignees: readonly UserBasic[];
  readonly assignee: UserBasic | null;
  readonly reviewers: readonly UserBasic[];
  readonly source_project_id: number;
  readonly target_project_id: number;
  readonly labels: readonly string[];
  readonly draft: boolean;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly work_in_progress: boolean;
  readonly milestone: Milestone | null;
  readonly merge_when_pipeline_succeeds: boolean;
  readonly merge_status: 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged';
  readonly detailed_merge_status: 'not_open' | 'merge_time' | 'draft_status' | 'commits_status' | 'discussions_not_resolved' | 'title_regex' | 'conflict' | 'need_rebase' | 'ci_still_running' | 'ci_must_pass' | 'unchecked' | 'mergeable';
  readonly merge_after: string | null;
  readonly sha: string | null;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly discussion_locked: boolean | null;
  readonly should_remove_source_branch: boolean | null;
  readonly force_remove_source_branch: boolean;
  readonly prepared_at: string;
  readonly reference: string;
  readonly references: References;
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly squash: boolean;
  readonly squash_on_merge: boolean;
  readonly task_completion_status: TaskCompletionStatus;
  readonly has_conflicts: boolean;
  readonly blocking_discussions_resolved: boolean;
  readonly approvals_before_merge: null;
  readonly subscribed: boolean;
  readonly changes_count: string | null;
  readonly latest_build_started_at: string | null;
  readonly latest_build_finished_at: string | null;
  readonly first_deployed_to_production_at: null;
  readonly pipeline: PipelineListed | null;
  readonly head_pipeline: Pipeline | null;
  readonly diff_refs: DiffRefs;
  readonly merge_error: string | null;
  readonly first_contribution: boolean;
  readonly user: MergeRequestOfCaller;
  readonly rebase_in_progress?: boolean;
  readonly diverged_commits_count?: number | null;
  readonly title_html?: string;
  readonly description_html?: string;
}

export interface MergeRequestInList {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly created_at: string;
  readonly updated_at: string;
  readonly merged_by: UserBasic | null;
  readonly merge_user: UserBasic | null;
  readonly merged_at: string | null;
  readonly closed_by: UserBasic | null;
  readonly closed_at: string | null;
  readonly target_branch: string;
  readonly source_branch: string;
  readonly user_notes_count: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly author: UserBasic;
  readonly assignees: readonly UserBasic[];
  readonly assignee: UserBasic | null;
  readonly reviewers: readonly UserBasic[];
  readonly source_project_id: number;
  readonly target_project_id: number;
  readonly labels: readonly (string | LabelBasic)[];
  readonly draft: boolean;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly work_in_progress: boolean;
  readonly milestone: Milestone | null;
  readonly merge_when_pipeline_succeeds: boolean;
  readonly merge_status: 'unchecked' | 'checking' | 'can_be_merged' | 'cannot_be_merged';
  readonly detailed_merge_status: 'not_open' | 'merge_time' | 'draft_status' | 'commits_status' | 'discussions_not_resolved' | 'title_regex' | 'conflict' | 'need_rebase' | 'ci_still_running' | 'ci_must_pass' | 'unchecked' | 'mergeable';
  readonly merge_after: string | null;
  readonly sha: string | null;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly discussion_locked: boolean | null;
  readonly should_remove_source_branch: boolean | null;
  readonly force_remove_source_branch: boolean;
  readonly prepared_at: string;
  readonly reference: string;
  readonly references: References;
  readonly web_url: string;
  readonly time_stats: TimeStats;
  readonly squash: boolean;
  readonly squash_on_merge: boolean;
  readonly task_completion_status: TaskCompletionStatus;
  readonly has_conflicts: boolean;
  readonly blocking_discussions_resolved: boolean;
  readonly approvals_before_merge: null;
}

export interface MergeRequestOfCaller {
  readonly can_merge: boolean;
}

export interface MergeRequestRebase {
  readonly rebase_in_progress: boolean;
}

export interface MergeRequestSimple {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
}

export interface Message {
  readonly message: string;
}

export interface Milestone {
  readonly id: number;
  readonly iid: number;
  readonly project_id?: number;
  readonly group_id?: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'active' | 'closed';
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_date: string | null;
  readonly start_date: string | null;
  readonly expired: boolean;
  readonly web_url: string;
}

export interface MilestoneEvent {
  readonly id: number;
  readonly user: UserBasic | null;
  readonly created_at: string;
  readonly resource_type: string;
  readonly resource_id: number;
  readonly milestone: Milestone;
  readonly action: 'add' | 'remove';
  readonly state: string;
}

export interface Namespace {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly kind: 'user' | 'group';
  readonly full_path: string;
  readonly parent_id: number | null;
  readonly avatar_url: string | null;
  readonly web_url: string;
  readonly members_count_with_descendants?: number;
  readonly projects_count: number;
  readonly root_repository_size: number | null;
  readonly billable_members_count: number;
  readonly plan: 'default';
  readonly trial: boolean;
  readonly trial_ends_on: null;
  readonly shared_runners_minutes_limit: null;
  readonly extra_shared_runners_minutes_limit: null;
}

export interface NamespaceBasic {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly kind: 'user' | 'group';
  readonly full_path: string;
  readonly parent_id: number | null;
  readonly avatar_url: string | null;
  readonly web_url: string;
}

export interface Note {
  readonly id: number;
  readonly type: string | null;
  readonly body: string;
  readonly author: UserBasic;
  readonly created_at: string;
  readonly updated_at: string;
  readonly system: boolean;
  readonly noteable_id: number | null;
  readonly noteable_type: string;
  readonly project_id: number | null;
  readonly resolvable: boolean;
  readonly confidential: boolean;
  readonly internal: boolean;
  readonly imported: boolean;
  readonly imported_from: string;
  readonly noteable_iid: number | null;
  readonly commands_changes: NoteCommandsChanges;
  readonly resolved?: boolean;
  readonly resolved_by?: UserBasic | null;
  readonly resolved_at?: string | null;
  readonly position?: Position;
  readonly commit_id?: string | null;
  readonly suggestions?: readonly unknown[];
}

export interface NoteCommandsChanges {
  readonly state_event?: 'close' | 'reopen';
  readonly title?: string;
  readonly add_label_ids?: readonly number[];
  readonly remove_label_ids?: readonly number[];
  readonly label_ids?: readonly number[];
  readonly assignee_ids?: readonly number[];
  readonly reviewer_ids?: readonly number[];
  readonly milestone_id?: number | null;
  readonly iteration?: number | null;
  readonly due_date?: string | null;
  readonly weight?: number | null;
  readonly epic?: number | null;
  readonly canonical_issue_id?: number;
  readonly confidential?: boolean;
  readonly time_estimate?: number;
  readonly spend_time?: SpentByCommand;
  readonly todo_event?: 'add' | 'done';
  readonly subscription_event?: 'subscribe' | 'unsubscribe';
  readonly discussion_locked?: boolean;
  readonly emoji_award?: string;
  readonly target_branch?: string;
  readonly tag_name?: string;
  readonly tag_message?: string | null;
  readonly merge?: string;
  readonly rebase?: boolean;
  readonly wip_event?: 'draft' | 'ready';
}

export interface NotificationEmailEvents {
  readonly new_release: boolean;
  readonly new_note: boolean;
  readonly new_issue: boolean;
  readonly reopen_issue: boolean;
  readonly close_issue: boolean;
  readonly reassign_issue: boolean;
  readonly issue_due: boolean;
  readonly new_merge_request: boolean;
  readonly push_to_merge_request: boolean;
  readonly reopen_merge_request: boolean;
  readonly close_merge_request: boolean;
  readonly reassign_merge_request: boolean;
  readonly change_reviewer_merge_request: boolean;
  readonly merge_merge_request: boolean;
  readonly failed_pipeline: boolean;
  readonly fixed_pipeline: boolean;
  readonly success_pipeline: boolean;
  readonly moved_project: boolean;
  readonly merge_when_pipeline_succeeds: boolean;
  readonly new_epic?: boolean;
  readonly approver?: boolean;
}

export interface NotificationSetting {
  readonly level: 'disabled' | 'participating' | 'watch' | 'global' | 'mention' | 'custom';
  readonly events?: NotificationEmailEvents;
}

export interface PersonalAccessToken {
  readonly id: number;
  readonly name: string;
  readonly revoked: boolean;
  readonly created_at: string;
  readonly description: string | null;
  readonly scopes: readonly string[];
  readonly user_id: number;
  readonly last_used_at: string | null;
  readonly active: boolean;
  readonly expires_at: string | null;
  readonly last_used_ips: readonly string[];
}

export interface PersonalAccessTokenWithSecret {
  readonly id: number;
  readonly name: string;
  readonly revoked: boolean;
  readonly created_at: string;
  readonly description: string | null;
  readonly scopes: readonly string[];
  readonly user_id: number;
  readonly last_used_at: string | null;
  readonly active: boolean;
  readonly expires_at: string | null;
  readonly token: string;
}

export interface Pipeline {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
  readonly before_sha: string;
  readonly tag: boolean;
  readonly yaml_errors: string | null;
  readonly user: UserBasic | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly committed_at: null;
  readonly duration: number | null;
  readonly queued_duration: number | null;
  readonly coverage: string | null;
  readonly detailed_status: DetailedStatus;
  readonly archived: boolean;
}

export interface PipelineBasic {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
}

export interface PipelineDetail {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
  readonly before_sha: string;
  readonly tag: boolean;
  readonly yaml_errors: string | null;
  readonly user: UserBasic | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly committed_at: null;
  readonly duration: number | null;
  readonly queued_duration: number | null;
  readonly coverage: string | null;
  readonly detailed_status: DetailedStatus;
  readonly archived: boolean;
  readonly name: string | null;
}

export interface PipelineListed {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
  readonly name: string | null;
}

export interface PipelineSchedule {
  readonly id: number;
  readonly description: string;
  readonly ref: string;
  readonly cron: string;
  readonly cron_timezone: string;
  readonly next_run_at: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly owner: UserBasic | null;
}

export interface PipelineScheduleDetail {
  readonly id: number;
  readonly description: string;
  readonly ref: string;
  readonly cron: string;
  readonly cron_timezone: string;
  readonly next_run_at: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly owner: UserBasic | null;
  readonly last_pipeline: PipelineBasic | null;
  readonly inputs?: readonly {}[];
  readonly variables?: readonly PipelineVariable[];
}

export interface PipelineTrigger {
  readonly id: number;
  readonly token: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_used: string | null;
  readonly expires_at: string | null;
  readonly owner: UserBasic;
}

export interface PipelineVariable {
  readonly variable_type: string;
  readonly key: string;
  readonly value: string;
  readonly raw: boolean;
}

export interface Position {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
  readonly old_path: string | null;
  readonly new_path: string | null;
  readonly position_type: 'text' | 'image' | 'file';
  readonly old_line?: number | null;
  readonly new_line?: number | null;
  readonly line_range?: LineRange | null;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly x?: number | null;
  readonly y?: number | null;
}

export interface Project {
  readonly id: number;
  readonly description: string | null;
  readonly name: string;
  readonly name_with_namespace: string;
  readonly path: string;
  readonly path_with_namespace: string;
  readonly created_at: string;
  readonly default_branch: string;
  readonly tag_list: readonly string[];
  readonly topics: readonly string[];
  readonly ssh_url_to_repo: string;
  readonly http_url_to_repo: string;
  readonly web_url: string;
  readonly readme_url: string | null;
  readonly forks_count: number;
  readonly avatar_url: string | null;
  readonly star_count: number;
  readonly last_activity_at: string;
  readonly visibility: 'private' | 'internal' | 'public';
  readonly namespace: NamespaceBasic;
  readonly repository_storage?: string;
  readonly custom_attributes?: readonly CustomAttribute[];
  readonly container_registry_image_prefix: string;
  readonly _links: ProjectLinks;
  readonly marked_for_deletion_at: string | null;
  readonly marked_for_deletion_on: string | null;
  readonly empty_repo: boolean;
  readonly archived: boolean;
  readonly owner?: UserBasic;
  readonly repository_object_format: string;
  readonly issues_enabled: boolean;
  readonly merge_requests_enabled: boolean;
  readonly wiki_enabled: boolean;
  readonly jobs_enabled: boolean;
  readonly snippets_enabled: boolean;
  readonly container_registry_enabled: boolean;
  readonly can_create_merge_request_in: boolean;
  readonly issues_access_level: 'disabled' | 'private' | 'enabled';
  readonly repository_access_level: 'disabled' | 'private' | 'enabled';
  readonly merge_requests_access_level: 'disabled' | 'private' | 'enabled';
  readonly wiki_access_level: 'disabled' | 'private' | 'enabled';
  readonly builds_access_level: 'disabled' | 'private' | 'enabled';
  readonly snippets_access_level: 'disabled' | 'private' | 'enabled';
  readonly environments_access_level: 'disabled' | 'private' | 'enabled';
  readonly emails_disabled: boolean;
  readonly lfs_enabled: boolean;
  readonly creator_id: number | null;
  readonly import_url: string | null;
  readonly import_type: string | null;
  readonly import_status: string;
  readonly import_error: string | null;
  readonly open_issues_count?: number;
  readonly description_html: string;
  readonly updated_at: string;
  readonly shared_with_groups: readonly unknown[];
  readonly container_expiration_policy: ContainerExpirationPolicy;
  readonly mirror: boolean;
  readonly only_allow_merge_if_all_status_checks_passed: boolean;
  readonly prevent_merge_without_jira_issue: boolean;
  readonly forking_access_level: 'disabled' | 'private' | 'enabled';
  readonly container_registry_access_level: 'disabled' | 'private' | 'enabled';
  readonly releases_access_level: 'disabled' | 'private' | 'enabled';
  readonly feature_flags_access_level: 'disabled' | 'private' | 'enabled';
  readonly infrastructure_access_level: 'disabled' | 'private' | 'enabled';
  readonly monitor_access_level: 'disabled' | 'private' | 'enabled';
  readonly model_experiments_access_level: 'disabled' | 'private' | 'enabled';
  readonly model_registry_access_level: 'disabled' | 'private' | 'enabled';
  readonly analytics_access_level: 'disabled' | 'private' | 'enabled';
  readonly requirements_access_level: 'disabled' | 'private' | 'enabled';
  readonly package_registry_access_level: 'disabled' | 'private' | 'enabled' | 'public';
  readonly pages_access_level: 'disabled' | 'private' | 'enabled' | 'public';
  readonly security_and_compliance_access_level: 'disabled' | 'private' | 'enabled';
  readonly shared_runners_enabled: boolean;
  readonly public_jobs: boolean;
  readonly ci_config_path: string | null;
  readonly allow_pipeline_trigger_approve_deployment: boolean;
  readonly max_artifacts_size: number | null;
  readonly merge_method: 'merge' | 'rebase_merge' | 'ff';
  readonly squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  readonly only_allow_merge_if_pipeline_succeeds: boolean;
  readonly allow_merge_on_skipped_pipeline: boolean | null;
  readonly only_allow_merge_if_all_discussions_are_resolved: boolean;
  readonly remove_source_branch_after_merge: boolean;
  readonly autoclose_referenced_issues: boolean;
  readonly merge_request_title_regex: string | null;
  readonly merge_request_title_regex_description: string | null;
  readonly merge_commit_template: string | null;
  readonly squash_commit_template: string | null;
  readonly suggestion_commit_message: string | null;
  readonly issue_branch_template: string | null;
  readonly issues_template: string | null;
  readonly merge_requests_template: string | null;
  readonly merge_pipelines_enabled: boolean;
  readonly merge_trains_enabled: boolean;
  readonly merge_trains_skip_train_allowed: boolean;
  readonly show_diff_preview_in_email: boolean;
  readonly warn_about_potentially_unwanted_characters: boolean;
  readonly request_access_enabled: boolean;
  readonly printing_merge_request_link_enabled: boolean;
  readonly resolve_outdated_diff_discussions: boolean;
  readonly packages_enabled: boolean;
  readonly service_desk_enabled: boolean;
  readonly enforce_auth_checks_on_uploads: boolean;
  readonly approvals_before_merge: number;
  readonly external_authorization_classification_label: string | null;
  readonly emails_enabled: boolean;
  readonly group_runners_enabled?: boolean;
  readonly build_timeout?: number;
  readonly ci_default_git_depth?: number;
  readonly ci_forward_deployment_enabled?: boolean;
  readonly build_git_strategy?: 'fetch' | 'clone';
  readonly auto_cancel_pending_pipelines?: 'enabled' | 'disabled';
  readonly ci_separated_caches?: boolean;
  readonly keep_latest_artifact?: boolean;
  readonly ci_pipeline_variables_minimum_override_role?: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner';
  readonly ci_restrict_pipeline_cancellation_role?: 'developer' | 'maintainer' | 'no_one';
  readonly ci_delete_pipelines_in_seconds?: number | null;
  readonly resource_group_default_process_mode?: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first';
  readonly auto_devops_enabled?: boolean;
  readonly auto_devops_deploy_strategy?: 'continuous' | 'manual' | 'timed_incremental';
  readonly ci_forward_deployment_rollback_allowed?: boolean;
  readonly ci_allow_fork_pipelines_to_run_in_parent_project?: boolean;
  readonly ci_push_repository_for_job_token_allowed?: boolean;
  readonly ci_id_token_sub_claim_components?: readonly string[] | string;
  readonly ci_job_token_scope_enabled?: boolean;
  readonly restrict_user_defined_variables?: boolean;
  readonly repository_read_only?: boolean;
  readonly runners_token?: string | null;
}

export interface ProjectAbilities {
  readonly abilities: readonly ('act_on_deploy_job' | 'act_on_issue' | 'admin_label' | 'admin_milestone' | 'admin_operations' | 'admin_pipeline' | 'admin_project_member' | 'admin_protected_branch' | 'admin_protected_environment' | 'admin_protected_tag' | 'admin_runner' | 'admin_trigger' | 'admin_variable' | 'archive_project' | 'change_note' | 'change_visibility' | 'create_deployment' | 'create_environment' | 'create_issue' | 'create_merge_request' | 'create_note' | 'create_pipeline' | 'create_project_access_token' | 'create_snippet' | 'create_wiki' | 'delete_issue' | 'delete_merge_request' | 'delete_wiki' | 'destroy_deployment' | 'destroy_environment' | 'destroy_pipeline' | 'download_wiki' | 'export_project' | 'find_deployment' | 'force_unlock_lfs_file' | 'manage_project_access_tokens' | 'push_code' | 'read_alert_management_alert' | 'read_code' | 'read_confidential_issue' | 'read_deployment' | 'read_environment' | 'read_internal_note' | 'read_issue' | 'read_iteration' | 'read_job' | 'read_label' | 'read_maintainers_artifacts' | 'read_members' | 'read_merge_request' | 'read_milestone' | 'read_package' | 'read_pipeline' | 'read_private_artifacts' | 'read_project' | 'read_project_audit_events' | 'read_resource_group' | 'read_sentry_issue' | 'read_snippet' | 'read_wiki' | 'relate_issue' | 'remove_project' | 'resolve_note' | 'set_new_issue_metadata' | 'set_note_created_at' | 'stop_environment' | 'stop_stale_environments' | 'transfer_project' | 'update_alert_management_alert' | 'update_deployment' | 'update_environment' | 'update_issue' | 'update_merge_request' | 'update_own_issue' | 'update_own_merge_request' | 'update_own_snippet' | 'update_pipeline' | 'update_project' | 'update_sentry_issue' | 'update_snippet')[];
}

export interface ProjectIdentity {
  readonly id: number;
  readonly description: string | null;
  readonly name: string;
  readonly name_with_namespace: string;
  readonly path: string;
  readonly path_with_namespace: string;
  readonly created_at: string;
}

export interface ProjectLabel {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly description_html: string;
  readonly text_color: string;
  readonly color: string;
  readonly archived: boolean;
  readonly open_issues_count?: number;
  readonly closed_issues_count?: number;
  readonly open_merge_requests_count?: number;
  readonly subscribed: boolean;
  readonly priority: number | null;
  readonly is_project_label: boolean;
}

export interface ProjectLinks {
  readonly self: string;
  readonly issues: string;
  readonly merge_requests: string;
  readonly repo_branches: string;
  readonly labels: string;
  readonly events: string;
  readonly members: string;
  readonly cluster_agents: string;
}

export interface ProjectPermissions {
  readonly project_access: ProjectSourceAccess | null;
  readonly group_access: ProjectSourceAccess | null;
}

export interface ProjectSimple {
  readonly id: number;
  readonly description: string | null;
  readonly name: string;
  readonly name_with_namespace: string;
  readonly path: string;
  readonly path_with_namespace: string;
  readonly created_at: string;
  readonly default_branch: string;
  readonly tag_list: readonly string[];
  readonly topics: readonly string[];
  readonly ssh_url_to_repo: string;
  readonly http_url_to_repo: string;
  readonly web_url: string;
  readonly readme_url: string | null;
  readonly forks_count: number;
  readonly avatar_url: string | null;
  readonly star_count: number;
  readonly last_activity_at: string;
  readonly visibility: 'private' | 'internal' | 'public';
  readonly namespace: NamespaceBasic;
  readonly repository_storage?: string;
  readonly custom_attributes?: readonly CustomAttribute[];
}

export interface ProjectSourceAccess {
  readonly access_level: number;
  readonly notification_level: number;
}

export interface ProjectStatistics {
  readonly commit_count: number;
  readonly storage_size: number;
  readonly repository_size: number;
  readonly wiki_size: number;
  readonly lfs_objects_size: number;
  readonly job_artifacts_size: number;
  readonly pipeline_artifacts_size: number;
  readonly packages_size: number;
  readonly snippets_size: number;
  readonly uploads_size: number;
  readonly container_registry_size: number;
}

export interface ProjectWithPermissions {
  readonly id: number;
  readonly description: string | null;
  readonly name: string;
  readonly name_with_namespace: string;
  readonly path: string;
  readonly path_with_namespace: string;
  readonly created_at: string;
  readonly default_branch: string;
  readonly tag_list: readonly string[];
  readonly topics: readonly string[];
  readonly ssh_url_to_repo: string;
  readonly http_url_to_repo: string;
  readonly web_url: string;
  readonly readme_url: string | null;
  readonly forks_count: number;
  readonly avatar_url: string | null;
  readonly star_count: number;
  readonly last_activity_at: string;
  readonly visibility: 'private' | 'internal' | 'public';
  readonly namespace: NamespaceBasic;
  readonly repository_storage?: string;
  readonly custom_attributes?: readonly CustomAttribute[];
  readonly container_registry_image_prefix: string;
  readonly _links: ProjectLinks;
  readonly marked_for_deletion_at: string | null;
  readonly marked_for_deletion_on: string | null;
  readonly empty_repo: boolean;
  readonly archived: boolean;
  readonly owner?: UserBasic;
  readonly repository_object_format: string;
  readonly issues_enabled: boolean;
  readonly merge_requests_enabled: boolean;
  readonly wiki_enabled: boolean;
  readonly jobs_enabled: boolean;
  readonly snippets_enabled: boolean;
  readonly container_registry_enabled: boolean;
  readonly can_create_merge_request_in: boolean;
  readonly issues_access_level: 'disabled' | 'private' | 'enabled';
  readonly repository_access_level: 'disabled' | 'private' | 'enabled';
  readonly merge_requests_access_level: 'disabled' | 'private' | 'enabled';
  readonly wiki_access_level: 'disabled' | 'private' | 'enabled';
  readonly builds_access_level: 'disabled' | 'private' | 'enabled';
  readonly snippets_access_level: 'disabled' | 'private' | 'enabled';
  readonly environments_access_level: 'disabled' | 'private' | 'enabled';
  readonly emails_disabled: boolean;
  readonly lfs_enabled: boolean;
  readonly creator_id: number | null;
  readonly import_url: string | null;
  readonly import_type: string | null;
  readonly import_status: string;
  readonly import_error: string | null;
  readonly open_issues_count?: number;
  readonly description_html: string;
  readonly updated_at: string;
  readonly shared_with_groups: readonly unknown[];
  readonly container_expiration_policy: ContainerExpirationPolicy;
  readonly mirror: boolean;
  readonly only_allow_merge_if_all_status_checks_passed: boolean;
  readonly prevent_merge_without_jira_issue: boolean;
  readonly forking_access_level: 'disabled' | 'private' | 'enabled';
  readonly container_registry_access_level: 'disabled' | 'private' | 'enabled';
  readonly releases_access_level: 'disabled' | 'private' | 'enabled';
  readonly feature_flags_access_level: 'disabled' | 'private' | 'enabled';
  readonly infrastructure_access_level: 'disabled' | 'private' | 'enabled';
  readonly monitor_access_level: 'disabled' | 'private' | 'enabled';
  readonly model_experiments_access_level: 'disabled' | 'private' | 'enabled';
  readonly model_registry_access_level: 'disabled' | 'private' | 'enabled';
  readonly analytics_access_level: 'disabled' | 'private' | 'enabled';
  readonly requirements_access_level: 'disabled' | 'private' | 'enabled';
  readonly package_registry_access_level: 'disabled' | 'private' | 'enabled' | 'public';
  readonly pages_access_level: 'disabled' | 'private' | 'enabled' | 'public';
  readonly security_and_compliance_access_level: 'disabled' | 'private' | 'enabled';
  readonly shared_runners_enabled: boolean;
  readonly public_jobs: boolean;
  readonly ci_config_path: string | null;
  readonly allow_pipeline_trigger_approve_deployment: boolean;
  readonly max_artifacts_size: number | null;
  readonly merge_method: 'merge' | 'rebase_merge' | 'ff';
  readonly squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  readonly only_allow_merge_if_pipeline_succeeds: boolean;
  readonly allow_merge_on_skipped_pipeline: boolean | null;
  readonly only_allow_merge_if_all_discussions_are_resolved: boolean;
  readonly remove_source_branch_after_merge: boolean;
  readonly autoclose_referenced_issues: boolean;
  readonly merge_request_title_regex: string | null;
  readonly merge_request_title_regex_description: string | null;
  readonly merge_commit_template: string | null;
  readonly squash_commit_template: string | null;
  readonly suggestion_commit_message: string | null;
  readonly issue_branch_template: string | null;
  readonly issues_template: string | null;
  readonly merge_requests_template: string | null;
  readonly merge_pipelines_enabled: boolean;
  readonly merge_trains_enabled: boolean;
  readonly merge_trains_skip_train_allowed: boolean;
  readonly show_diff_preview_in_email: boolean;
  readonly warn_about_potentially_unwanted_characters: boolean;
  readonly request_access_enabled: boolean;
  readonly printing_merge_request_link_enabled: boolean;
  readonly resolve_outdated_diff_discussions: boolean;
  readonly packages_enabled: boolean;
  readonly service_desk_enabled: boolean;
  readonly enforce_auth_checks_on_uploads: boolean;
  readonly approvals_before_merge: number;
  readonly external_authorization_classification_label: string | null;
  readonly emails_enabled: boolean;
  readonly group_runners_enabled?: boolean;
  readonly build_timeout?: number;
  readonly ci_default_git_depth?: number;
  readonly ci_forward_deployment_enabled?: boolean;
  readonly build_git_strategy?: 'fetch' | 'clone';
  readonly auto_cancel_pending_pipelines?: 'enabled' | 'disabled';
  readonly ci_separated_caches?: boolean;
  readonly keep_latest_artifact?: boolean;
  readonly ci_pipeline_variables_minimum_override_role?: 'no_one_allowed' | 'developer' | 'maintainer' | 'owner';
  readonly ci_restrict_pipeline_cancellation_role?: 'developer' | 'maintainer' | 'no_one';
  readonly ci_delete_pipelines_in_seconds?: number | null;
  readonly resource_group_default_process_mode?: 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first';
  readonly auto_devops_enabled?: boolean;
  readonly auto_devops_deploy_strategy?: 'continuous' | 'manual' | 'timed_incremental';
  readonly ci_forward_deployment_rollback_allowed?: boolean;
  readonly ci_allow_fork_pipelines_to_run_in_parent_project?: boolean;
  readonly ci_push_repository_for_job_token_allowed?: boolean;
  readonly ci_id_token_sub_claim_components?: readonly string[] | string;
  readonly ci_job_token_scope_enabled?: boolean;
  readonly restrict_user_defined_variables?: boolean;
  readonly repository_read_only?: boolean;
  readonly permissions: ProjectPermissions;
  readonly runners_token?: string | null;
  readonly statistics?: ProjectStatistics;
  readonly license_url?: string | null;
  readonly license?: License | null;
}

export interface PushData {
  readonly commit_count: number;
  readonly action: 'created' | 'pushed' | 'removed';
  readonly ref_type: 'branch' | 'tag';
  readonly commit_from: string | null;
  readonly commit_to: string | null;
  readonly ref: string | null;
  readonly commit_title: string | null;
  readonly ref_count: number | null;
}

export interface References {
  readonly short: string;
  readonly relative: string;
  readonly full: string;
}

export interface RepositoryFile {
  readonly file_name: string;
  readonly file_path: string;
  readonly size: number;
  readonly encoding: 'base64';
  readonly content_sha256: string;
  readonly ref: string;
  readonly blob_id: string;
  readonly commit_id: string;
  readonly last_commit_id: string;
  readonly execute_filemode: boolean;
  readonly content: string;
}

export interface Reviewer {
  readonly user: UserBasic;
  readonly state: 'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved' | 'review_started';
  readonly created_at: string;
}

export interface Runner {
  readonly id: number;
  readonly description: string | null;
  readonly ip_address: string;
  readonly active: boolean;
  readonly paused: boolean;
  readonly is_shared: boolean;
  readonly runner_type: 'instance_type' | 'group_type' | 'project_type';
  readonly name: string | null;
  readonly online: boolean | null;
  readonly status: 'online' | 'offline' | 'stale' | 'never_contacted' | 'paused';
  readonly created_by?: UserBasic;
  readonly created_at: string;
  readonly job_execution_status: 'idle' | 'active';
}

export interface RunnerDetail {
  readonly id: number;
  readonly description: string | null;
  readonly ip_address: string;
  readonly active: boolean;
  readonly paused: boolean;
  readonly is_shared: boolean;
  readonly runner_type: 'instance_type' | 'group_type' | 'project_type';
  readonly name: string | null;
  readonly online: boolean | null;
  readonly status: 'online' | 'offline' | 'stale' | 'never_contacted' | 'paused';
  readonly created_by?: UserBasic;
  readonly created_at: string;
  readonly job_execution_status: 'idle' | 'active';
  readonly tag_list: readonly string[];
  readonly run_untagged: boolean;
  readonly locked: boolean;
  readonly maximum_timeout: number | null;
  readonly access_level: 'not_protected' | 'ref_protected';
  readonly version: string | null;
  readonly revision: string | null;
  readonly platform: string | null;
  readonly architecture: string | null;
  readonly contacted_at: string | null;
  readonly maintenance_note: string | null;
  readonly projects?: readonly ProjectIdentity[];
  readonly groups: readonly RunnerGroup[];
}

export interface RunnerGroup {
  readonly id: number;
  readonly web_url: string;
  readonly name: string;
}

export interface RunnerManager {
  readonly id: number;
  readonly system_id: string;
  readonly version: string | null;
  readonly revision: string | null;
  readonly platform: string | null;
  readonly architecture: string | null;
  readonly created_at: string;
  readonly contacted_at: string | null;
  readonly ip_address: string;
  readonly status: 'online' | 'offline' | 'stale' | 'never_contacted' | 'paused';
  readonly job_execution_status: 'idle' | 'active';
}

export interface RunnerWithToken {
  readonly id: number;
  readonly token: string;
  readonly token_expires_at: string | null;
}

export interface SpentByCommand {
  readonly duration: number | null;
  readonly user_id: number;
  readonly spent_at: string | null;
}

export interface StateEvent {
  readonly id: number;
  readonly user: UserBasic | null;
  readonly created_at: string;
  readonly resource_type: string;
  readonly resource_id: number;
  readonly source_commit: string | null;
  readonly source_merge_request_id: number | null;
  readonly state: string;
}

export interface Tag {
  readonly name: string;
  readonly message: string;
  readonly target: string;
  readonly commit: Commit | null;
  readonly release: null;
  readonly protected: boolean;
  readonly created_at: string | null;
}

export interface TaskCompletionStatus {
  readonly count: number;
  readonly completed_count: number;
}

export interface TimeStats {
  readonly time_estimate: number;
  readonly total_time_spent: number;
  readonly human_time_estimate: string | null;
  readonly human_total_time_spent: string | null;
}

export interface Todo {
  readonly id: number;
  readonly project?: ProjectIdentity;
  readonly group?: NamespaceBasic;
  readonly author: UserBasic;
  readonly action_name: 'assigned' | 'review_requested' | 'mentioned' | 'directly_addressed' | 'build_failed' | 'unmergeable' | 'marked';
  readonly target_type: 'Issue' | 'MergeRequest' | 'Epic' | 'Commit';
  readonly target: IssueInList | MergeRequestInList | EpicInList | Commit | null;
  readonly target_url: string;
  readonly body: string;
  readonly state: 'pending' | 'done';
  readonly created_at: string;
  readonly updated_at: string;
}

export interface TreeCommit {
  readonly path: string;
  readonly commit: Commit;
}

export interface TreeEntry {
  readonly id: string;
  readonly name: string;
  readonly type: 'tree' | 'blob' | 'commit';
  readonly path: string;
  readonly mode: string;
}

export interface UserAdmin {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly bio: string;
  readonly location: string;
  readonly skype: string;
  readonly linkedin: string;
  readonly twitter: string;
  readonly discord: string;
  readonly website_url: string;
  readonly github: string;
  readonly job_title: string | null;
  readonly pronouns: string | null;
  readonly organization: string;
  readonly bot: boolean;
  readonly work_information: string | null;
  readonly local_time: string | null;
  readonly created_at: string;
  readonly followers: number;
  readonly following: number;
  readonly is_followed: boolean;
  readonly last_sign_in_at: string | null;
  readonly confirmed_at: string | null;
  readonly last_activity_on: string | null;
  readonly email: string;
  readonly theme_id: number;
  readonly color_scheme_id: number;
  readonly projects_limit: number;
  readonly current_sign_in_at: string | null;
  readonly identities: readonly UserIdentity[];
  readonly can_create_group: boolean;
  readonly can_create_project: boolean;
  readonly two_factor_enabled: boolean;
  readonly external: boolean;
  readonly private_profile: boolean;
  readonly commit_email: string | null;
  readonly preferred_language: string;
  readonly shared_runners_minutes_limit: null;
  readonly extra_shared_runners_minutes_limit: null;
  readonly scim_identities: readonly unknown[];
  readonly is_admin: boolean;
  readonly note: string | null;
  readonly namespace_id: number | null;
  readonly created_by: UserBasic | null;
  readonly using_license_seat: boolean;
  readonly is_auditor: boolean;
  readonly provisioned_by_group_id: null;
  readonly enterprise_group_id: null;
  readonly enterprise_group_associated_at: null;
  readonly custom_attributes?: readonly CustomAttribute[];
}

export interface UserAdminDetail {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly bio: string;
  readonly location: string;
  readonly skype: string;
  readonly linkedin: string;
  readonly twitter: string;
  readonly discord: string;
  readonly website_url: string;
  readonly github: string;
  readonly job_title: string | null;
  readonly pronouns: string | null;
  readonly organization: string;
  readonly bot: boolean;
  readonly work_information: string | null;
  readonly local_time: string | null;
  readonly created_at: string;
  readonly followers: number;
  readonly following: number;
  readonly is_followed: boolean;
  readonly last_sign_in_at: string | null;
  readonly confirmed_at: string | null;
  readonly last_activity_on: string | null;
  readonly email: string;
  readonly theme_id: number;
  readonly color_scheme_id: number;
  readonly projects_limit: number;
  readonly current_sign_in_at: string | null;
  readonly identities: readonly UserIdentity[];
  readonly can_create_group: boolean;
  readonly can_create_project: boolean;
  readonly two_factor_enabled: boolean;
  readonly external: boolean;
  readonly private_profile: boolean;
  readonly commit_email: string | null;
  readonly preferred_language: string;
  readonly shared_runners_minutes_limit: null;
  readonly extra_shared_runners_minutes_limit: null;
  readonly scim_identities: readonly unknown[];
  readonly is_admin: boolean;
  readonly note: string | null;
  readonly namespace_id: number | null;
  readonly created_by: UserBasic | null;
  readonly using_license_seat: boolean;
  readonly is_auditor: boolean;
  readonly provisioned_by_group_id: null;
  readonly enterprise_group_id: null;
  readonly enterprise_group_associated_at: null;
  readonly custom_attributes?: readonly CustomAttribute[];
  readonly highest_role: number;
  readonly current_sign_in_ip: string | null;
  readonly last_sign_in_ip: string | null;
  readonly sign_in_count: number;
  readonly plan: null;
  readonly trial: null;
}

export interface UserBasic {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
}

export interface UserExtended {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly bio: string;
  readonly location: string;
  readonly skype: string;
  readonly linkedin: string;
  readonly twitter: string;
  readonly discord: string;
  readonly website_url: string;
  readonly github: string;
  readonly job_title: string | null;
  readonly pronouns: string | null;
  readonly organization: string;
  readonly bot: boolean;
  readonly work_information: string | null;
  readonly local_time: string | null;
  readonly created_at: string;
  readonly followers: number;
  readonly following: number;
  readonly is_followed: boolean;
}

export interface UserHidden {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly bio: string;
  readonly location: string;
  readonly skype: string;
  readonly linkedin: string;
  readonly twitter: string;
  readonly discord: string;
  readonly website_url: string;
  readonly github: string;
  readonly job_title: string | null;
  readonly pronouns: string | null;
  readonly organization: string;
  readonly bot: boolean;
  readonly work_information: string | null;
  readonly local_time: string | null;
}

export interface UserIdentity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id: null;
}

export interface UserSelf {
  readonly id: number;
  readonly username: string;
  readonly public_email: string | null;
  readonly name: string;
  readonly state: string;
  readonly locked: boolean;
  readonly avatar_url: string;
  readonly web_url: string;
  readonly bio: string;
  readonly location: string;
  readonly skype: string;
  readonly linkedin: string;
  readonly twitter: string;
  readonly discord: string;
  readonly website_url: string;
  readonly github: string;
  readonly job_title: string | null;
  readonly pronouns: string | null;
  readonly organization: string;
  readonly bot: boolean;
  readonly work_information: string | null;
  readonly local_time: string | null;
  readonly created_at: string;
  readonly followers: number;
  readonly following: number;
  readonly is_followed: boolean;
  readonly last_sign_in_at: string | null;
  readonly confirmed_at: string | null;
  readonly last_activity_on: string | null;
  readonly email: string;
  readonly theme_id: number;
  readonly color_scheme_id: number;
  readonly projects_limit: number;
  readonly current_sign_in_at: string | null;
  readonly identities: readonly UserIdentity[];
  readonly can_create_group: boolean;
  readonly can_create_project: boolean;
  readonly two_factor_enabled: boolean;
  readonly external: boolean;
  readonly private_profile: boolean;
  readonly commit_email: string | null;
  readonly preferred_language: string;
  readonly shared_runners_minutes_limit: null;
  readonly extra_shared_runners_minutes_limit: null;
  readonly scim_identities: readonly unknown[];
}

export interface WeightEvent {
  readonly id: number;
  readonly user: UserBasic | null;
  readonly created_at: string;
  readonly issue_id: number;
  readonly weight: number | null;
}

export interface WikiPage {
  readonly format: string;
  readonly slug: string;
  readonly title: string;
  readonly wiki_page_meta_id: number;
  readonly content: string;
  readonly encoding: string;
  readonly front_matter: Readonly<Record<string, unknown>>;
}

export interface WrittenFile {
  readonly file_path: string;
  readonly branch: string;
}
