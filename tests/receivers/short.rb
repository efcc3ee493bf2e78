
# Prints for each case of the vectors whether `verify` takes it.
require "json"

JSON.parse(File.read(ARGV.fetch(0), encoding: "UTF-8")).fetch("cases").each do |test|
  header = test["headers"]["Service-Signature"]
  puts test["secrets"].any? { |secret| verify(header, test["body"], secret, test["now"]) }
end
