#!/bin/sh
# Package:   Psych, the YAML library of Ruby (4.0.3, of Ruby 3.1.2), beside PyYAML 6.0.3 (PyPI) and js-yaml 4.1.0,
#            yaml 2.9.1 (npm)
# Input:     a mapping with a merge key that stands after a key of its own:
#                base: &base { image: old }
#                job: { image: new, <<: *base }
# Expected:  what the definition of merge keys says and the others do: own keys win, wherever the merge key stands:
#            new.
# Behaviour: Psych goes through the pairs in order, and the merged mapping overrides what stands before it: old. Below
#            the merge key the own value wins. So moving `<<` to the last line changes a CI file for a server in Ruby
#            and for no other.
# Fails if one of the packages behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
cat >after.yml <<'YAML'
base: &base { image: old }
job: { image: new, <<: *base }
YAML
cat >before.yml <<'YAML'
base: &base { image: old }
job: { <<: *base, image: new }
YAML
npm init -y >npm.log
npm install --no-audit --no-fund --ignore-scripts yaml@2.9.1 js-yaml@4.1.0 >>npm.log
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check PyYAML==6.0.3
for file in after before; do
  {
    ruby -ryaml -e 'puts "psych #{YAML.load_file(ARGV[0], aliases: true)["job"]["image"]}"' $file.yml
    environment/bin/python -c 'import sys, yaml; print("PyYAML", yaml.safe_load(open(sys.argv[1]))["job"]["image"])' $file.yml
    node -e '
      const text = require("fs").readFileSync(process.argv[1], "utf8");
      console.log("js-yaml", require("js-yaml").load(text).job.image);
      console.log("yaml", require("yaml").parse(text, { merge: true }).job.image);' $file.yml
  } >$file.out
  echo "merge key $file the own key... $(tr '\n' ',' <$file.out)"
done
ruby -rpsych -e 'puts "Psych #{Psych::VERSION}"'
printf 'psych old\nPyYAML new\njs-yaml new\nyaml new\n' | cmp - after.out
printf 'psych new\nPyYAML new\njs-yaml new\nyaml new\n' | cmp - before.out
