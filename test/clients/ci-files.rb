# Reads CI files with the reference's own reader: one JSON text a line in, its errors or its jobs a line out. SOURCE is the
# reference's source. The reader runs without Rails: what it asks of the server has a stand-in here.
require 'active_model'
require 'active_support/all'
require 'cgi'
require 'delegate'
require 'gitlab_chronic_duration'
require 'json'
require 're2'
require 'set'
require 'shellwords'
require 'strscan'
require 'tsort'
require 'yaml'

SOURCE = ENV.fetch('SOURCE')
ChronicDuration.raise_exceptions = true
ROOTS = %w[lib ee/lib gems/gitlab-utils/lib app/models/concerns].map { |root| File.join(SOURCE, root) }

class Module
  def prepend_mod(*, **) = nil

  # Of what the paid edition adds, only keywords count.
  def prepend_mod_with(name, **)
    prepend(Object.const_get("EE::#{name}")) if name.match?(/::Entry::(Job|Needs?)\z/)
  end

  # Loads the file that by its path defines the constant, from the innermost module outwards.
  alias_method :missing_constant, :const_missing
  def const_missing(name)
    scopes = self == Object ? [] : self.name.to_s.split('::')
    scopes.length.downto(0) do |depth|
      parts = scopes.first(depth) + [name.to_s]
      found = Module.load_constant(parts)
      return found unless found.nil?
    end
    missing_constant(name)
  end

  def self.load_constant(parts)
    name = parts.join('::')
    path = parts.map(&:underscore).join('/')
    ROOTS.each do |root|
      file = "#{root}/#{path}.rb"
      require file if File.exist?(file)
      return Object.const_get(name) if Object.const_defined?(name)
      next unless File.directory?("#{root}/#{path}")

      outer = parts.length == 1 ? Object : Object.const_get(parts[0..-2].join('::'))
      return outer.const_set(parts.last, Module.new)
    end
    nil
  end
end
# A delegator looks for constants itself and would hide those of its file.
Delegator.singleton_class.send(:remove_method, :const_missing)

module Kernel
  def require_dependency(_name) = nil
end

def _(text) = text
def s_(text) = text.split('|').last

module Feature
  # Flags that are off by default.
  OFF = %i[ci_job_inputs].freeze
  def self.current_request = nil
  def self.enabled?(flag, *, **) = !OFF.include?(flag)
  def self.disabled?(*, **) = false
end

class Project
  MAX_BUILD_TIMEOUT = 1.month
end

class Commit
  def self.reference_valid?(_text) = true
end

%w[JsonSchemaValidator AddressableUrlValidator].each do |validator|
  Object.const_set(validator, Class.new(ActiveModel::EachValidator) { def validate_each(*) = nil })
end

module Ci
  class Build
    def self.failure_reasons = ::Enums::Ci::CommitStatus.failure_reasons.stringify_keys
  end

  class JobArtifact
    MAX_EXPOSED_AS_LENGTH = 100
    EXPOSED_PATH_REGEX = /\A[^*]*\z/
  end

  class BuildNeed
    MAX_JOB_NAME_LENGTH = 255
  end

  class PipelineMetadata
    def self.auto_cancel_on_new_commits = { 'conservative' => 0, 'interruptible' => 1, 'none' => 2 }
    def self.auto_cancel_on_job_failures = { 'none' => 0, 'all' => 1 }
  end
end

module Gitlab
  module Utils
    module Override
      def override(*) = nil
    end

    class DeepSize
      def initialize(*, **) = nil
      def valid? = true
    end
  end

  module AppJsonLogger
    def self.info(*) = nil
  end

  module GitRefValidator
    def self.validate(name) = !name.to_s.match?(/[\s~^:?*\[\\]|\.\./)
  end

  module CurrentSettings
    def self.current_application_settings = Struct.new(:max_yaml_size_bytes, :max_yaml_depth).new(1, 1)
  end

  class SafeRequestStore
    @values = {}
    def self.fetch(_key) = yield
    def self.[](key) = @values[key]
    def self.[]=(key, value)
      @values[key] = value
    end
  end

  module Regex
    ENVIRONMENT = 'a-zA-Z0-9_\\$\\{\\}\\. -'
    def self.environment_name_regex = /\A[#{ENVIRONMENT}]([#{ENVIRONMENT}\/]*[#{ENVIRONMENT}])?\z/
    def self.environment_name_regex_message = 'is invalid'
  end

  module Ci
    class Config; end
    class YamlProcessor; end

    module Tags
      class Parser
        def initialize(tags) = @tags = tags
        def parse = Array(@tags).uniq
      end
    end
  end
end

require "#{SOURCE}/lib/gitlab/ci/yaml_processor"
# Older releases of RE2 only know the longer notation of named groups.
Gitlab::UntrustedRegexp.prepend(
  Module.new { def initialize(pattern, **options) = super(pattern.gsub('(?<', '(?P<'), **options) }
)
Config = Gitlab::Ci::Config
Root = Config::Entry::Root

# Checks the references between jobs of a file whose structure is valid.
class References < Gitlab::Ci::YamlProcessor
  def initialize(root, jobs)
    @stages = root.stages_value
    @jobs = jobs
  end

  def find_error
    @jobs.each { |name, job| validate_job!(name, job) }
    check_circular_dependencies
    nil
  rescue ValidationError => e
    e.message
  end
end

class NoLog
  def instrument(*, **) = yield
end

def read(text)
  loaded = Config::Yaml::Loader.new(text, context: Config::Yaml::Context.new).load
  return { errors: [loaded.error] } unless loaded.valid?

  config = Config::Extendable.new(loaded.content).to_hash
  config = Config::Yaml::Tags::Resolver.new(config).to_hash
  root = Root.new(Config::Stages.new(config).inject_edge_stages!, logger: NoLog.new)
  root.compose!
  return { errors: root.errors } unless root.valid?

  normalizer = Config::Normalizer.new(root.jobs_value)
  jobs = normalizer.normalize_jobs
  errors = normalizer.errors.presence || [References.new(root, jobs).find_error].compact
  return { errors: errors } unless errors.empty?

  { errors: [], stages: root.stages_value.uniq, variables: root.variables_entry.value_with_data, jobs: jobs }
rescue Gitlab::Config::Loader::FormatError, Config::Extendable::ExtensionError, Config::Yaml::Tags::TagError => e
  { errors: [e.message] }
end

$stdin.each_line do |line|
  puts JSON.generate(Config::FeatureFlags.with_actor(nil) { read(JSON.parse(line)) })
  $stdout.flush
end
