// The handwritten rows for the questions in the case files match the interpreter's.
import { join } from 'node:path';
import { readCases } from '../case-file';
import { useCaseDatabase } from '../query-setup';
import { readQuery } from './read-query';
import { readTables } from './read-tables';
import { interpret } from './reading/interpret';
import type { Tables } from './reading/tables';

const cases = readCases(join(__dirname, '..', 'cases', 'questions'));
const opened = useCaseDatabase();
let tables: Tables;

beforeAll(async () => {
  tables = await readTables(opened.database.write);
});

test.each(cases.map(({ topic, title, body, rows }) => [`${topic}: ${title}`, body, rows] as const))(
  '%s',
  (_name, body, rows) => {
    expect(rows).toBeDefined();
    expect(interpret(readQuery(body, tables), tables).rows).toEqual(rows);
  },
);
