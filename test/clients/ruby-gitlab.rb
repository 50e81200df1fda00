# Drives a Hearth server with ruby-gitlab as a user would: one line a step.
require 'gitlab'

@client = Gitlab.client(endpoint: "#{ENV.fetch('HEARTH')}/api/v4", private_token: ENV.fetch('TOKEN'))
@failed = 0

def step(name)
  yield
  puts "ok #{name}"
rescue StandardError => e
  @failed += 1
  puts "not ok #{name}: #{e.class}: #{e.message}"
end

def check(condition, what = 'a check')
  raise "#{what} failed" unless condition
end

step('sign in') { check @client.user.username == 'root' }
step('projects') do
  @project = @client.create_project('ruby', initialize_with_readme: true)
  23.times { |number| @client.create_project("ruby-#{number}") }
  check @client.projects(search: 'ruby', per_page: 10).auto_paginate.length == 24, 'pagination'
  check @client.project('root/ruby').id == @project.id
end
step('files') do
  @client.create_file(@project.id, 'lib/a.rb', 'main', "puts 1\n", 'Add')
  check @client.file_contents(@project.id, 'lib/a.rb', 'main') == "puts 1\n", 'content'
  check @client.get_file(@project.id, 'lib/a.rb', 'main').size == 7
  check @client.get_file_blame(@project.id, 'lib/a.rb', 'main').first.lines == ['puts 1']
  @client.edit_file(@project.id, 'lib/a.rb', 'main', "puts 2\n", 'Change')
  @client.remove_file(@project.id, 'lib/a.rb', 'main', 'Away')
end
step('commits') do
  commit = @client.create_commit(@project.id, 'main', 'Many', [{ action: 'create', file_path: 'a.txt', content: 'a' }])
  check @client.commit(@project.id, commit.id).title == 'Many'
  check @client.commit_diff(@project.id, commit.id).first.new_path == 'a.txt'
end
step('branches and tags') do
  @client.create_branch(@project.id, 'feature/y', 'main')
  check @client.branch(@project.id, 'feature/y').name == 'feature/y'
  check @client.branches(@project.id).length == 2
  @client.delete_branch(@project.id, 'feature/y')
  @client.create_tag(@project.id, 'v1', 'main')
  check @client.tags(@project.id).first.name == 'v1'
end
step('tree and compare') do
  check @client.tree(@project.id).map(&:name).include?('a.txt')
  check @client.compare(@project.id, 'main~1', 'main').commits.length == 1
end
step('groups and members') do
  group = @client.create_group('Ruby', 'ruby-group')
  check @client.group_members(group.id).first.access_level == 50
end
step('labels') do
  label = @client.create_label(@project.id, 'bug', '#DD10AA')
  check @client.edit_label(@project.id, 'bug', new_name: 'TODO').id == label.id, 'edit'
  check @client.labels(@project.id).map(&:name) == ['TODO'], 'list'
  @client.delete_label(@project.id, 'TODO')
end
step('milestones') do
  milestone = @client.create_milestone(@project.id, 'v1', due_date: '2099-02-01')
  check @client.edit_milestone(@project.id, milestone.id, state_event: 'close').state == 'closed', 'close'
  check @client.milestones(@project.id, state: 'closed').length == 1, 'list'
  @client.delete_milestone(@project.id, milestone.id)
end
step('issues and notes') do
  issue = @client.create_issue(@project.id, 'Broken', labels: 'bug,new')
  check issue.labels == %w[bug new], 'labels'
  check @client.close_issue(@project.id, issue.iid).state == 'closed', 'close'
  check @client.reopen_issue(@project.id, issue.iid).state == 'opened', 'reopen'
  check @client.issues(@project.id, labels: 'bug').length == 1, 'list'
  check @client.estimate_time_of_issue(@project.id, issue.iid, '3h30m').time_estimate == 12_600, 'time'
  note = @client.create_issue_note(@project.id, issue.iid, 'Seen on two hosts')
  check @client.edit_issue_note(@project.id, issue.iid, note.id, 'Seen').body == 'Seen', 'note'
  @client.delete_issue_note(@project.id, issue.iid, note.id)
  @client.delete_issue(@project.id, issue.iid)
end
step('pipelines, jobs and runners') do
  ci = "build:\n  script: make\nship:\n  stage: deploy\n  when: manual\n  script: ship\n"
  @client.create_file(@project.id, '.gitlab-ci.yml', 'main', ci, 'CI [skip ci]')
  token = @client.project(@project.id).runners_token
  runner = @client.register_runner(token, description: 'box', tag_list: ['fine'], run_untagged: true)
  check @client.verify_auth_registered_runner(runner.token), 'verify'
  check @client.runner(runner.id).description == 'box', 'runner'
  check @client.update_runner(runner.id, description: 'other').description == 'other', 'update'
  check @client.project_runners(@project.id, type: 'project_type').map(&:id) == [runner.id], 'runners'
  pipeline = @client.create_pipeline(@project.id, 'main')
  check @client.pipeline(@project.id, pipeline.id).status == 'pending', 'pipeline'
  jobs = @client.pipeline_jobs(@project.id, pipeline.id)
  check jobs.map(&:name) == %w[ship build], 'jobs'
  check @client.job_cancel(@project.id, jobs.last.id).status == 'canceled', 'cancel'
  again = @client.job_retry(@project.id, jobs.last.id)
  check @client.job(@project.id, again.id).status == 'pending', 'retry'
  check @client.jobs(@project.id, scope: ['pending']).length == 1, 'scope'
  check @client.cancel_pipeline(@project.id, pipeline.id).id == pipeline.id, 'cancel of all'
  check @client.retry_pipeline(@project.id, pipeline.id).id == pipeline.id, 'retry of all'
  check @client.runner_jobs(runner.id).empty?, 'jobs of the runner'
  @client.delete_pipeline(@project.id, pipeline.id)
  @client.delete_runner(runner.id)
end
step('merge requests and approvals') do
  @client.create_branch(@project.id, 'feature/z', 'main')
  @client.create_file(@project.id, 'z.txt', 'feature/z', 'z', 'Add')
  request = @client.create_merge_request(@project.id, 'Z', source_branch: 'feature/z', target_branch: 'main')
  check @client.merge_request_changes(@project.id, request.iid).changes.length == 1, 'changes'
  check @client.create_merge_request_note(@project.id, request.iid, 'Why?').body == 'Why?', 'note'
  check @client.merge_request_approvals(@project.id, request.iid).approved_by.empty?, 'approvals'
  check @client.merge_requests(@project.id, source_branch: 'feature/z', state: 'opened').length == 1, 'list'
  check @client.accept_merge_request(@project.id, request.iid).state == 'merged', 'merge'
end
step('variables and environments') do
  check @client.create_variable(@project.id, 'PLACE', 'sea').value == 'sea', 'variable'
  check @client.update_variable(@project.id, 'PLACE', 'land').value == 'land', 'update'
  check @client.variables(@project.id).map(&:key) == ['PLACE'], 'list'
  @client.remove_variable(@project.id, 'PLACE')
  environment = @client.create_environment(@project.id, 'production', external_url: 'https://shop.test')
  check @client.environments(@project.id).map(&:name) == ['production'], 'environments'
  check @client.stop_environment(@project.id, environment.id).state == 'stopped', 'stop'
  @client.delete_environment(@project.id, environment.id)
end
step('snippets and wikis') do
  values = { title: 'Of a project', file_name: 'a.txt', visibility: 'private', content: 'text' }
  snippet = @client.create_snippet(@project.id, values)
  check @client.snippet_content(@project.id, snippet.id) == 'text', 'snippet'
  check @client.edit_snippet(@project.id, snippet.id, title: 'Other').title == 'Other', 'edit'
  @client.delete_snippet(@project.id, snippet.id)
  page = @client.create_wiki(@project.id, 'Home page', 'Welcome')
  check @client.wiki(@project.id, page.slug).content == 'Welcome', 'wiki'
end
step('refusals') do
  begin
    @client.branch(@project.id, 'nothing')
    raise 'not refused'
  rescue Gitlab::Error::NotFound => e
    check e.message.include?('404 Branch Not Found'), e.message
  end
end
exit(@failed.zero? ? 0 : 1)
