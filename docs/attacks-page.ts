import { ATTACKS } from '../tests/security/attacks';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const INTRO = `\`tests/security/attacks.yaml\` contains these attacks as data. Every test run either sends them to a real host or covers them
with the listed test; afterwards the accounts, sites, goals, rows and imports must be unchanged. \`make torture ARGS=input\` sends 50,000
modified bodies, URLs and forms ([reliability](../reliability.md)).`;

/** The attacks that tests try, by area. */
export const attackSections = (): readonly string[] => [
  INTRO,
  ...[...new Set(ATTACKS.map(({ area }) => area))].flatMap((area) => {
    const rows = ATTACKS.filter((attack) => attack.area === area);
    const lines = rows.map(({ attack, happens }) => `| ${cell(attack)} | ${cell(happens)} |`);
    return [`## ${area}`, ['| attack | what happens |', '|---|---|', ...lines].join('\n')];
  }),
];
