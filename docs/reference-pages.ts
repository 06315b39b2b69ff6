// Generates the pages of docs/reference from the manifests, the settings, the error table and the tests.
import { join } from 'node:path/posix';
import { installedContracts } from '../extension/api/contracts/choose-contract';
import type { InstalledContract } from '../extension/api/contracts/contract';
import { openApiDocument } from '../extension/api/schemas/openapi-document';
import { queryJsonSchema } from '../extension/api/schemas/query-json-schema';
import { ERRORS } from '../extension/language/errors/error-table';
import { PRODUCT } from '../host-shim/main';
import { listSettings } from '../host-shim/server/config';
import { headContract, materialNames, materialOf } from '../manifests/reader/catalog';
import type {
  Column,
  Contract,
  LoadedManifest,
  Manifest,
  Material,
  MaterialTime,
} from '../manifests/reader/manifest';
import { attackSections } from './attacks-page';
import { channelsPage } from './channels-page';
import { conformancePage } from './conformance-page';
import { formatsPage } from './formats-page';
import { limitGroups } from './limits/limit-groups';

/** The URL of a server with default settings. */
const SERVER = 'http://localhost:8080/wp-json/qa-platform';

interface ReferencePage {
  readonly file: string;
  readonly text: string;
}

export function referencePages(manifest: LoadedManifest): readonly ReferencePage[] {
  const head = headContract(manifest);
  return [
    { file: 'materials.md', text: materialsPage(manifest.forAdministrators, head) },
    { file: 'formats.md', text: page('Formats', ...formatsPage(manifest)) },
    { file: 'channels.md', text: page('Channels', ...channelsPage(manifest)) },
    { file: 'features.md', text: featuresPage(manifest) },
    { file: 'configuration.md', text: configurationPage() },
    { file: 'errors.md', text: errorsPage() },
    { file: 'limits.md', text: limitsPage(manifest) },
    { file: 'attacks.md', text: page('Tested attacks', ...attackSections()) },
    { file: 'conformance.md', text: page('Conformance', ...conformancePage()) },
    { file: 'schemas.md', text: schemasPage(manifest) },
    ...schemaFiles(installedContracts(manifest)),
  ];
}

/** The schemas for programs. A server adds its list of time zones. */
function schemaFiles(contracts: readonly InstalledContract[]): readonly ReferencePage[] {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return [
    ...contracts.map((contract) => ({
      file: join('schemas', `query-${contract.version}.json`),
      text: json(queryJsonSchema(contract)),
    })),
    { file: join('schemas', 'openapi.json'), text: json(openApiDocument(contracts, { server: SERVER })) },
  ];
}

function materialsPage(manifest: Manifest, contract: Contract): string {
  const materials = materialNames(manifest, contract).flatMap(
    (name) => materialOf(manifest, contract, name) ?? [],
  );
  return page(
    'Materials',
    `The materials of contract ${contract.version}.`,
    ...materials.flatMap((material) => [
      `## ${material.name}`,
      materialSummary(material),
      table(
        ['column', 'type', 'meaning', 'import'],
        [...material.columns.values(), ...material.importColumns].map(columnRow),
      ),
    ]),
  );
}

function materialSummary(material: Material): string {
  const keys = [...material.join].map(([key, rows]) => `${code(key)} (${rows})`).join(', ');
  const all = material.supportsAll ? 'can' : 'cannot';
  const time =
    material.time === undefined ? 'Its rows cover the whole range of the query.' : timeOf(material.time);
  return sentence(
    `One row is ${material.row}. ${time} It ${all} be queried for all sites together.`,
    keys === '' ? '' : `Join keys, with the number of rows on the other side that a row may match: ${keys}.`,
    material.feature === undefined ? '' : `Flag ${code(material.feature)}.`,
  );
}

const timeOf = ({ column, grain }: MaterialTime): string =>
  `Its time is ${code(column)}${grain === 'day' ? ', in whole days' : ''}.`;

const wordsOf = (words: Readonly<Record<string, number>>): string =>
  Object.entries(words)
    .map(([word, number]) => `${number} ${word}`)
    .join(', ');

function columnRow(column: Column): readonly string[] {
  const notes = [
    column.nullable ? 'May be null.' : '',
    column.words === undefined ? '' : `${wordsOf(column.words)}.`,
    column.values === undefined ? '' : `One of ${column.values.join(', ')}.`,
    column.since === undefined ? '' : `Since ${column.since}.`,
    column.feature === undefined ? '' : `Flag ${code(column.feature)}.`,
  ];
  const as = column.import_name === undefined ? '' : ` as ${code(column.import_name)}`;
  return [code(column.name), column.type, sentence(column.about, ...notes), `${column.import ?? ''}${as}`];
}

function featuresPage(manifest: Manifest): string {
  return page(
    'Features',
    'A feature that is off is refused with `E_FEATURE_DISABLED` or omitted from the answer; a feature that a contract does not have is refused with `E_FEATURE_NOT_SUPPORTED`. The guide lists the features that are on.',
    ...[...manifest.contracts.values()].flatMap((contract) => [
      `## Contract ${contract.version}`,
      table(
        ['feature', 'on', 'since', 'meaning'],
        [...contract.features].map(([name, it]) => [
          code(name),
          it.enabled ? 'yes' : 'no',
          it.since ?? '',
          it.about,
        ]),
      ),
      '### Limits',
      table(
        ['limit', 'value'],
        Object.entries(contract.limits).map(([name, value]) => [
          code(name),
          value === null ? 'none' : String(value),
        ]),
      ),
      ...wordTable('Filter operators', 'operator', contract.request.filter_operators),
      ...wordTable('Functions of calc', 'function', contract.request.calc_functions),
    ]),
  );
}

/** A table of operators or functions with their types; empty if the contract has none. */
function wordTable(
  title: string,
  what: string,
  words: Contract['request']['calc_functions'],
): readonly string[] {
  const rows = Object.entries(words).map(([name, it]) => [code(name), it.about, it.types.join(', ')]);
  return rows.length === 0 ? [] : [`### ${title}`, table([what, 'meaning', 'types'], rows)];
}

function configurationPage(): string {
  return page(
    'Configuration',
    'Settings are environment variables. If a value is invalid, the program does not start, and a message names the variable. ' +
      'An empty variable is treated as unset.',
    table(
      ['variable', 'default', 'takes', 'meaning'],
      listSettings(PRODUCT.extensions).map(({ variable, fallback, shape, about }) => [
        code(variable),
        fallback === undefined ? '' : code(fallback),
        shape.description ?? '',
        about,
      ]),
    ),
  );
}

function errorsPage(): string {
  return page(
    'Errors',
    'An answer has one error: the first in the order of the query. `at` is its position in the query, `hint` the ' +
      'repair if one is known, and `details` has data for programs.',
    table(
      ['code', 'status', 'when'],
      Object.entries(ERRORS).map(([name, it]) => [code(name), String(it.status), it.when]),
    ),
  );
}

function limitsPage(manifest: Manifest): string {
  return page(
    'Limits',
    'Values apply to the newest contract and to default settings; the last column lists the [settings](configuration.md) that change them. ' +
      '`qal import` limits neither the size of a file nor the number of rejected rows. A rejected row stops an import that ' +
      'does not skip rejected rows.',
    ...limitGroups(manifest).flatMap(({ title, limits }) => [
      `## ${title}`,
      table(
        ['limit', 'maximum', 'beyond it', 'setting'],
        limits.map(({ of, max, beyond, settings }) => [of, max, beyond, settings.map(code).join(', ')]),
      ),
    ]),
  );
}

function schemasPage(manifest: Manifest): string {
  return page(
    'Schemas',
    'For programs that check or write queries. The files are derived from the schema that the server uses to check queries. ' +
      'A server serves them without a login, with its list of time zones and without the clauses whose ' +
      'feature is off. The description of the namespace, `/wp-json/qa-platform`, links to both.',
    table(
      ['document', 'file', 'address on a server'],
      [
        ...[...manifest.contracts.keys()].map((version) => [
          `JSON Schema of a query, contract ${version}`,
          link(`schemas/query-${version}.json`),
          code(`/wp-json/qa-platform-docs/query-schema?version=${version}`),
        ]),
        [
          'OpenAPI 3.1 document of the guide and the query, all contracts',
          link('schemas/openapi.json'),
          code('/wp-json/qa-platform-docs/openapi'),
        ],
      ],
    ),
    'A query that matches the schema can still be refused, since only the server can check names, and some rules relate two ' +
      'parts of a query, such as `end` after `start`.',
  );
}

function page(title: string, ...blocks: readonly string[]): string {
  return [`# ${title}`, '<!-- Generated by `make docs`. -->', ...blocks].join('\n\n').concat('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const link = (file: string) => `[${file}](${file})`;
const code = (text: string) => `\`${text}\``;
const sentence = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' ');
