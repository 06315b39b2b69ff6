// Moves the unreleased changes in CHANGELOG.md under a version heading. Usage: node .ci/date-changelog.mjs VERSION DATE
import { readFileSync, writeFileSync } from 'node:fs';

const [version, date] = process.argv.slice(2);
const HEAD = '## Unreleased\n';
const text = readFileSync('CHANGELOG.md', 'utf8');
const [before, after = ''] = text.split(HEAD);
const changes = after.split(/^## /m)[0];
if (!/^- /m.test(changes)) {
  process.stderr.write(`CHANGELOG.md has no changes under "${HEAD.trim()}".\n`);
  process.exitCode = 1;
} else if (after.includes(`\n## ${version},`)) {
  process.stderr.write(`CHANGELOG.md already has version ${version}.\n`);
  process.exitCode = 1;
} else writeFileSync('CHANGELOG.md', `${before}${HEAD}\n## ${version}, ${date}\n${after}`);
